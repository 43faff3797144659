/** Declares the part of `pgpass` that is used: the package has no types. */
declare module 'pgpass' {
  interface Connection {
    host: string;
    port: number;
    database?: string | undefined;
    user?: string | undefined;
  }

  /** Passes the password of the first matching line of the file that PGPASSFILE names, or of `~/.pgpass`. */
  export default function pgpass(
    connection: Connection,
    callback: (password: string | undefined) => void,
  ): void;
}
