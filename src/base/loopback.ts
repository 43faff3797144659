/** Recognizes loopback hosts, the only ones for which http is allowed. */

/** Returns whether a host, as `URL` spells it, is a loopback host. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    // 127.0.0.0/8, mapped to IPv6.
    /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(hostname)
  );
}
