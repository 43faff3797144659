/** Replaces the parts of libraries that unused-library-code.ts removes from the bundle. */
module.exports = function removedModule() {
  throw new Error('This part of a library is not in the bundle: see scripts/release/unused-library-code.ts.');
};
