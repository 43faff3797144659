/** Replaces the parts of libraries that leave-out.ts removes from the bundle. */
module.exports = function absent() {
  throw new Error('This part of a library is not in the bundle: see scripts/release/leave-out.ts.');
};
