'use strict';

/** Whether this version of Node can run Ringback. Old versions of Node must be able to load this file. */
module.exports = function isNewEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
};
