/** Where a run leads to, and where what is known of it came from. */

/** Where a value came from. */
export type Source = 'flag' | 'environment' | 'profile' | 'default';

/** A service by its address as `readBaseUrl` gives it, or a sandbox by its name. */
export interface Place {
  baseUrl?: string | undefined;
  sandbox?: string | undefined;
}

/** The service or sandbox that would answer, in words for messages. */
export function placeOf({ sandbox, baseUrl }: Place): string {
  if (sandbox !== undefined) return `the sandbox "${sandbox}"`;
  return baseUrl ?? 'the service';
}
