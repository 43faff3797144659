/** Sends writes without the fields outside the API document that the service refuses. */
import { Failure } from '../base/errors.ts';
import type { Client, RecordResponse } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { otherNamesIn } from '../contract/other-fields.ts';

/** The fields outside the API document that a service has refused in this session. */
export class RefusedFields {
  /** The fields by resource. */
  readonly #refused = new Set<string>();
  readonly #onWarning: ((message: string) => void) | undefined;

  constructor(onWarning: ((message: string) => void) | undefined) {
    this.#onWarning = onWarning;
  }

  /**
   * Sends a write. If the service refuses fields outside the API document, sends it again without them and with a
   * warning, and omits them in later writes. Fields that the user has `entered` are always sent.
   */
  async write(client: Client, call: Call, entered: object): Promise<RecordResponse | undefined> {
    const { operation, body = {} } = call;
    const { nouns } = operation.resource;
    const others = otherNamesIn(operation, body).filter((name) => !Object.hasOwn(entered, name));
    if (others.length === 0) return client.write(call);
    const isRefused = (name: string) => others.includes(name) && this.#refused.has(`${nouns} ${name}`);
    const accepted = (): Call => ({
      ...call,
      body: Object.fromEntries(Object.entries(body).filter(([name]) => !isRefused(name))),
    });
    try {
      return await client.write(accepted());
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'refused') throw error;
      const { message, details } = error;
      const newlyRefused = others.filter(
        (name) =>
          !isRefused(name) && (Object.hasOwn(details.fields ?? {}, name) || message.includes(`"${name}"`)),
      );
      if (newlyRefused.length === 0) throw error;
      for (const name of newlyRefused) {
        this.#refused.add(`${nouns} ${name}`);
        this.#onWarning?.(`The service refuses ${name} of ${nouns}, so it isn't sent.`);
      }
      return client.write(accepted());
    }
  }
}
