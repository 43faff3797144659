/** Stands for the parts of libraries that the release leaves out. */
module.exports = function absent() {
  throw new Error('This part of a library is not in the release: see scripts/release/leave-out.ts.');
};
