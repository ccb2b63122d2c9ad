// The store's schema: what docs/store.md documents. `user_version` holds its version; migration.cpp
// brings older files forward.
#pragma once

namespace yardstick::harness {

inline constexpr int kSchemaVersion = 2;

/// Creates every table of an empty database (inside one transaction, before kViews).
inline constexpr const char* kSchema = R"sql(
-- One call of `yardstick run`.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  suite TEXT NOT NULL,
  started_at TEXT NOT NULL,            -- ISO 8601, UTC
  finished_at TEXT,                    -- NULL: still running, or killed
  command TEXT NOT NULL,
  version TEXT NOT NULL,               -- of yardstick
  backend TEXT NOT NULL,               -- LibTorch version and devices
  host TEXT NOT NULL,
  config TEXT NOT NULL                 -- the merged suite, JSON
) STRICT;

CREATE TABLE model (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,    -- content of config, position plan, tokenizer, weights
  architecture TEXT NOT NULL,
  encoding TEXT NOT NULL,              -- rope, alibi, fope, none, learned
  parameters INTEGER NOT NULL,
  weight_dtype TEXT NOT NULL,
  training_length INTEGER,             -- tokens; NULL: unknown
  position_plan TEXT NOT NULL,         -- JSON
  tokenizer TEXT NOT NULL,
  bos TEXT NOT NULL,                   -- decision and reason
  generation_ends TEXT NOT NULL DEFAULT ''  -- ids that end an answer, and their source
) STRICT;

CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  protocol TEXT NOT NULL,
  definition TEXT NOT NULL,            -- JSON
  headline TEXT NOT NULL,              -- metric that a report shows first
  better TEXT NOT NULL CHECK (better IN ('higher', 'lower'))
) STRICT;

-- The unit of caching: computed once for a key, whichever suites ask for it.
CREATE TABLE cell (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  model_id INTEGER NOT NULL REFERENCES model(id),
  task_id INTEGER NOT NULL REFERENCES task(id),
  length INTEGER,
  depth REAL,
  variant TEXT NOT NULL DEFAULT '',
  seed INTEGER NOT NULL,
  sample_limit INTEGER,
  dtype TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'ok', 'failed', 'skipped')),
  message TEXT NOT NULL DEFAULT '',    -- why failed or skipped
  run_id INTEGER REFERENCES run(id),   -- the run that finished it
  device TEXT,
  planned_samples INTEGER,
  tokens INTEGER,                      -- fed to the model
  seconds REAL,
  finished_at TEXT
) STRICT;

-- Which suite shows which cell under which names, in the suite's order.
CREATE TABLE suite_cell (
  suite TEXT NOT NULL,
  model TEXT NOT NULL,
  task TEXT NOT NULL,
  cell_id INTEGER NOT NULL REFERENCES cell(id),
  position INTEGER NOT NULL,
  PRIMARY KEY (suite, model, task, cell_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
  cell_id INTEGER NOT NULL REFERENCES cell(id) ON DELETE CASCADE,
  sample_id TEXT NOT NULL,
  document_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'nonfinite', 'skipped')),
  reason TEXT NOT NULL DEFAULT '',
  "values" TEXT NOT NULL,              -- JSON object of numbers
  details TEXT NOT NULL,               -- JSON
  PRIMARY KEY (cell_id, sample_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample_position_loss (
  cell_id INTEGER NOT NULL,
  sample_id TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  sum_nll REAL NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (cell_id, sample_id, first),
  FOREIGN KEY (cell_id, sample_id) REFERENCES sample(cell_id, sample_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
  cell_id INTEGER NOT NULL REFERENCES cell(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  value REAL,                          -- NULL: no scored sample
  stderr REAL,
  ci_low REAL,
  ci_high REAL,
  n INTEGER NOT NULL,
  unit TEXT NOT NULL DEFAULT 'number',        -- share, nats, tokens, ... (tasks/metrics/meaning.hpp)
  better TEXT NOT NULL DEFAULT 'neither' CHECK (better IN ('higher', 'lower', 'neither')),
  scale TEXT NOT NULL DEFAULT 'linear' CHECK (scale IN ('linear', 'logarithmic')),
  PRIMARY KEY (cell_id, name)
) STRICT, WITHOUT ROWID;
)sql";

/// Creates the views (again, once a migration has dropped them).
inline constexpr const char* kViews = R"sql(
-- Mean loss by token index, summed over the samples of a cell.
CREATE VIEW position_loss AS
  SELECT s.suite, s.model, s.task, c.length, c.depth, p.first, p.last,
         sum(p.sum_nll) AS sum_nll, sum(p.count) AS count, c.variant
  FROM suite_cell s JOIN cell c ON c.id = s.cell_id JOIN sample_position_loss p ON p.cell_id = c.id
  WHERE c.status = 'ok'
  GROUP BY s.suite, s.model, s.task, c.id, p.first;

-- The documented interface: one row a metric of a finished cell; a cell without metrics (failed,
-- skipped, pending) has one row with NULLs and its status.
CREATE VIEW results AS
  SELECT s.suite, s.model, s.task, m.name AS metric, c.length, c.depth, m.value, m.stderr,
         m.ci_low, m.ci_high, coalesce(m.n, 0) AS n, c.status, c.variant, m.unit, m.better, m.scale
  FROM suite_cell s JOIN cell c ON c.id = s.cell_id LEFT JOIN metric m ON m.cell_id = c.id
  ORDER BY s.suite, s.position, m.position;
)sql";

}  // namespace yardstick::harness
