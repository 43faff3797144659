/** The version of boh, from package.json, and its name in requests. */
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** Returns the User-Agent header. The service blocks the defaults of HTTP clients (docs/reference/deployments.md). */
export function userAgent(): string {
  return `boh/${version} (${process.platform}; node ${process.versions.node})`;
}
