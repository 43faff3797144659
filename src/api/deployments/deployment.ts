/**
 * Defines a deployment preset: what is known of a kind of service beyond the API document, as data. A flag, a setting of
 * the profile and a variant of a sandbox go before its values.
 */
import { type Api, defineApi } from '../contract/api.ts';
import { extendResource, type Resource, type ResourceExtension } from '../contract/resource.ts';

/** A kind of service. */
export interface Deployment {
  /** The value of the setting `like`: `foodics-v5`. */
  name: string;
  /** The name in the sign-in form. */
  title: string;
  /** One sentence about it: what it is, and where its values come from. */
  summary: string;
  /** Its addresses, the most common one first; empty if every account has its own. */
  addresses: readonly DeploymentAddress[];
  /** Default values of settings of a profile, by their names, such as `api_prefix`. */
  settings: Readonly<Record<string, string>>;
  /** Variant settings with which the sandbox behaves like this service. */
  variant: Readonly<Record<string, string | number>>;
  /** The fields by which lists can be sorted, in every resource that has them. */
  sorts?: readonly string[];
  /** Additions to resources of the API document, by the API's name. */
  resources?: Readonly<Record<string, ResourceExtension>>;
  /** Loads the resources that aren't part of the API document. They can only be read. */
  loadResources?: () => Promise<readonly Resource[]>;
}

/** An address of a kind of service. */
export interface DeploymentAddress {
  /** What it is for: "live", "test". */
  name: string;
  base_url: string;
  /** The page on which users approve an app. */
  authorize_url: string;
}

const extendedApis = new WeakMap<Api, Map<string, Api>>();

/**
 * Returns the API with the additions of a deployment, instead of those of another one; the same object for the same
 * arguments.
 */
export async function deployedApi(given: Api, deployment: Deployment | undefined): Promise<Api> {
  const base = given.base ?? given;
  if (!deployment?.resources) return base;
  const { name, resources, sorts = [], loadResources } = deployment;
  const apis = extendedApis.get(base) ?? new Map<string, Api>();
  extendedApis.set(base, apis);
  const known = apis.get(name);
  if (known) return known;
  const added = (await loadResources?.()) ?? [];
  const extended = base.resources.map((resource) =>
    extendResource(resource, { ...resources[resource.name], sorts }),
  );
  const api = defineApi({
    resources: [
      ...extended.filter(({ singleton }) => !singleton),
      ...added,
      ...extended.filter(({ singleton }) => singleton),
    ],
    // A service may lack the lists: the names of these records are then collected from responses.
    references: base.references,
    base,
  });
  apis.set(name, api);
  return api;
}
