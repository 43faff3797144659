/** Stands for the parts of undici that the release leaves out. */
module.exports = function absent() {
  throw new Error('This part of undici is not in the release: see scripts/release/undici.ts.');
};
