/** What of `pgpass` is used: it has no types of its own. */
declare module 'pgpass' {
  interface Place {
    host: string;
    port: number;
    database?: string | undefined;
    user?: string | undefined;
  }

  /** Answers the password of the first line that fits, in the file that PGPASSFILE names or in `~/.pgpass`. */
  export default function pgpass(place: Place, answer: (password: string | undefined) => void): void;
}
