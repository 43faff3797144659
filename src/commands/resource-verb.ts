/** A verb of a resource that is no operation of its own: written by hand, and loaded when a line names it. */
import type { Command } from 'commander';
import type { Resource } from '../contract/resource.ts';
import type { Context } from '../interaction/context.ts';

export interface ResourceVerb {
  name: string;
  summary(resource: Resource): string;
  /** Whether the resource has what the verb needs. */
  isFor(resource: Resource): boolean;
  /** It writes to an account. */
  isWrite?: true;
  configure(command: Command, resource: Resource, context: Context): Promise<void>;
}
