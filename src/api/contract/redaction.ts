/** Redacts secret fields in records and request bodies before they are shown or stored. */

import { isScalar } from '../../base/number-text.ts';
import { redactionMarker } from '../../base/redaction.ts';
import { type Api, apiOf } from './api.ts';
import type { Resource } from './resource.ts';

/** Returns the value with all secret fields redacted, at any depth. */
export type Redactor = (value: unknown) => unknown;

/** The names of secret fields in sign-in requests; `code` is redacted only if it is an OAuth code. */
const signInSecrets = [
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'code_verifier',
  'code',
];

const redactors = new WeakMap<object, Redactor>();

/** Returns the redactor for records of a resource and the related records that they may contain. */
export function redactorOf(resource: Resource): Redactor {
  const cached = redactors.get(resource);
  if (cached) return cached;
  const redactor = createRedactor([resource]);
  redactors.set(resource, redactor);
  return redactor;
}

/** Returns a redactor with the same result as `redactorOf`. It doesn't create the fields of other resources unless a record contains related records. */
export function lightRedactorOf(resource: Resource): Redactor {
  const redactor = lightRedactors.get(resource) ?? createLightRedactor(resource);
  lightRedactors.set(resource, redactor);
  return redactor;
}

const lightRedactors = new WeakMap<Resource, Redactor>();

function createLightRedactor(resource: Resource): Redactor {
  const secrets = new Set([...signInSecrets, ...secretsOf(resource)]);
  return (value) => {
    const isFlat = typeof value === 'object' && value !== null && Object.values(value).every(isPlain);
    if (!isFlat) return redactorOf(resource)(value);
    return Object.keys(value).some((name) => secrets.has(name)) ? redactorOf(resource)(value) : value;
  };
}

function isPlain(value: unknown): boolean {
  return isScalar(value) || (Array.isArray(value) && value.every(isPlain));
}

/** Returns the redactor for the bodies of a request; for paths outside the contract, the one for all resources. */
export function redactorAt(api: Api, method: string, target: string): Redactor {
  const operation = api.findOperation(method, target);
  return operation ? redactorOf(operation.resource) : redactorOfAll(api);
}

/** Returns the redactor for values of unknown origin: it redacts the secret fields of all resources. */
export function redactorOfAll(api: Api): Redactor {
  const redactor = redactors.get(api) ?? createRedactor(api.resources);
  redactors.set(api, redactor);
  return redactor;
}

/** Returns whether a field of this name is secret in any resource. */
export function isSecretName(api: Api, name: string): boolean {
  return secretNames(api.resources).has(name);
}

/** Returns whether a field of this name is secret in this resource, without its relations. */
export function isSecretOf(resource: Resource, name: string): boolean {
  return signInSecrets.includes(name) || secretsOf(resource).includes(name);
}

const secretNamesByResources = new WeakMap<object, ReadonlySet<string>>();

function secretNames(resources: readonly Resource[]): ReadonlySet<string> {
  const names =
    secretNamesByResources.get(resources) ??
    new Set([...signInSecrets, ...reachable(resources).flatMap(secretsOf)]);
  secretNamesByResources.set(resources, names);
  return names;
}

function createRedactor(resources: readonly Resource[]): Redactor {
  const names = secretNames(resources);
  const redact: Redactor = (value) => {
    if (!containsSecret(value, names)) return value;
    if (Array.isArray(value)) return value.map(redact);
    const isTokenRequest = 'grant_type' in (value as object);
    return Object.fromEntries(
      Object.entries(value as object).map(([name, inner]) => {
        const isSecret = names.has(name) && (name !== 'code' || isTokenRequest);
        return [name, isSecret && inner != null ? redactionMarker : redact(inner)];
      }),
    );
  };
  return redact;
}

/** Returns whether the value contains a secret name at any depth. Most values don't, so they aren't copied. */
function containsSecret(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && containsSecret(item, names)) return true;
    return false;
  }
  for (const name in value) {
    if (names.has(name)) return true;
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === 'object' && inner !== null && containsSecret(inner, names)) return true;
  }
  return false;
}

function secretsOf({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}

/** Returns the resources and all resources that their relations refer to, directly or indirectly. */
function reachable(resources: readonly Resource[]): Resource[] {
  const resourcesToVisit = new Set(resources);
  for (const resource of resourcesToVisit) {
    for (const { traits } of Object.values(resource.fields)) {
      const target = apiOf(resource).resource(traits.target ?? '');
      if (target) resourcesToVisit.add(target);
    }
  }
  return [...resourcesToVisit];
}
