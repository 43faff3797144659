/**
 * Replaces `node:http` in undici, which only uses two names: the size limit of headers, which is Node's default, and the
 * class by which it recognizes request bodies that are incoming requests.
 */
module.exports = {
  maxHeaderSize: 16 * 1024,
  IncomingMessage: class IncomingMessage {},
};
