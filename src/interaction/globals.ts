/** What the flags that may stand anywhere on a line say, as they were typed. */

export interface Globals {
  profile?: string;
  sandbox?: boolean;
  baseUrl?: string;
  apiPrefix?: string;
  yes?: boolean;
  /** False with `--no-input`. */
  input?: boolean;
  dryRun?: boolean;
  offline?: boolean;
  unchecked?: boolean;
  timeout?: string;
  deadline?: string;
  quiet?: boolean;
  verbose?: boolean;
  /** False with `--no-color`. */
  color?: boolean;
  copy?: boolean;
  /** False with `--no-pager`. */
  pager?: boolean;
  output?: string;
  json?: boolean;
  version?: boolean;
}
