/** The version of boh, from the one place that has it, and how boh names itself to services. */
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;

/** docs/reference/deployments.md: default agents of HTTP clients are blocked at the edge. */
export function userAgent(): string {
  return `boh/${version} (${process.platform}; node ${process.versions.node})`;
}
