/**
 * Stands for `node:http` in undici, which reads two things of it: the limit of headers, which is Node's default where
 * no flag changes it, and a class that tells bodies that are somebody's requests.
 */
module.exports = {
  maxHeaderSize: 16 * 1024,
  IncomingMessage: class IncomingMessage {},
};
