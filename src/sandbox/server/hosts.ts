/** Who may speak to a served sandbox: this machine, under its own names. */

const ownHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Whether the host header names this machine. A web page elsewhere can point a name of its own to 127.0.0.1 and
 * have the browser ask us for everything; that name stands here then.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && ownHost.test(host);
}
