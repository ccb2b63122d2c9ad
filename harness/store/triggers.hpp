// What goes with a row that is deleted. Triggers, for they act in every program; ON DELETE CASCADE
// acts only where `PRAGMA foreign_keys` is on, which in sqlite3 and in pandas it is not.
#pragma once

namespace yardstick::harness {

/// Creates the triggers, since schema version 2 (once all tables are there).
inline constexpr const char* kTriggers = R"sql(
CREATE TRIGGER model_deleted AFTER DELETE ON model BEGIN
  DELETE FROM cell WHERE model_id = old.id;
END;
CREATE TRIGGER task_deleted AFTER DELETE ON task BEGIN
  DELETE FROM cell WHERE task_id = old.id;
END;
CREATE TRIGGER run_deleted AFTER DELETE ON run BEGIN
  UPDATE cell SET run_id = NULL WHERE run_id = old.id;
END;
CREATE TRIGGER cell_deleted AFTER DELETE ON cell BEGIN
  DELETE FROM suite_cell WHERE cell_id = old.id;
  DELETE FROM metric WHERE cell_id = old.id;
  DELETE FROM sample WHERE cell_id = old.id;
END;
CREATE TRIGGER sample_deleted AFTER DELETE ON sample BEGIN
  DELETE FROM sample_position_loss WHERE cell_id = old.cell_id AND sample_id = old.sample_id;
END;
)sql";

}  // namespace yardstick::harness
