/** Stands for `node:assert` in undici, which uses nothing of it but this; Node's own loads six modules of messages. */
module.exports = function assert(value, message) {
  if (!value)
    throw message instanceof Error ? message : new Error(message || 'An assertion of undici failed.');
};
