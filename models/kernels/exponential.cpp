#include "models/kernels/exponential.hpp"

namespace yardstick::models::kernels {

const float kLowestExponent = -87.3F;
const float kHighestExponent = 88.3F;
const float kLowestPower = -126.0F;

}  // namespace yardstick::models::kernels
