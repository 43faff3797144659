/** Replaces `node:assert` in undici, which only calls this function. Node's module loads six further modules. */
module.exports = function assert(value, message) {
  if (!value)
    throw message instanceof Error ? message : new Error(message || 'An assertion of undici failed.');
};
