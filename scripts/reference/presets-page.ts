/** Generates the page about presets from their data. */
import { apiDocument } from '../../src/api/deployments/api-document.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { deployments } from '../../src/api/deployments/index.ts';
import {
  type Block,
  code,
  heading,
  paragraph,
  type ReferencePage,
  table,
} from '../../src/api/reference/blocks.ts';
import { resourceDetails } from '../../src/api/reference/resource-details.ts';
import { api } from '../../src/api/resources/index.ts';

/** Returns the page: how to use presets, and the values and resources of each. */
export async function presetsPage(): Promise<ReferencePage> {
  const blocks = await Promise.all(deployments.map(presetBlocks));
  return {
    name: 'presets',
    title: 'Presets for kinds of services',
    summary: 'Presets for kinds of services: addresses, settings and additional resources',
    blocks: [
      paragraph(
        'A preset has the default values for one kind of service, so that a profile needs few settings. A setting of the profile, a flag and a variant of a sandbox replace its values.',
      ),
      code('boh auth login --like foodics-v5', 'boh profiles add rehearsal --sandbox --like foodics-v5'),
      ...blocks.flat(),
    ],
  };
}

type Preset = (typeof deployments)[number];

async function presetBlocks(preset: Preset): Promise<Block[]> {
  const { name, summary, addresses, settings, sorts = [] } = preset;
  const rows = [
    ...addresses.flatMap((address) => [
      [`\`base_url\` (${address.name})`, address.base_url],
      [`\`authorize_url\` (${address.name})`, address.authorize_url],
    ]),
    ...Object.entries(settings).map(([setting, value]) => [`\`${setting}\``, value]),
    ...(sorts.length > 0 ? [['lists can also be sorted by', sorts.join(', ')]] : []),
  ];
  return [
    heading(name),
    paragraph(summary),
    ...(rows.length > 0 ? [table(['setting', 'value'], rows)] : []),
    ...(preset === apiDocument ? [] : await additions(preset)),
  ];
}

/** Describes what the preset adds to resources of the API document, and its own resources. */
async function additions(preset: Preset): Promise<Block[]> {
  const deployed = await deployedApi(api, preset);
  const added = deployed.collections.filter(({ undocumented }) => undocumented).map(resourceDetails);
  const changed = Object.entries(preset.resources ?? {}).map(([resource, extension]) => [
    api.resource(resource)?.command ?? resource,
    describeExtension(extension),
  ]);
  return [
    paragraph('Additions to resources of the API document:'),
    table(['resource', 'additions'], changed),
    paragraph(
      'Resources that are not part of the API document. They can be listed and read; where a service answers 404, boh works without them.',
    ),
    table(
      ['resource', 'fields', 'filters'],
      added.map(({ name, fields, filters }) => [
        name,
        fields.map((field) => field.name.split('.').slice(1).join('.')).join(', '),
        filters.map((filter) => filter.name).join(', '),
      ]),
    ),
  ];
}

function describeExtension({
  fields,
  filterRules,
  includes = [],
  words = {},
  numbers = {},
}: NonNullable<Preset['resources']>[string]): string {
  const parts: [string, readonly string[]][] = [
    ['fields', Object.keys(fields?.() ?? {})],
    ['filters', Object.keys(filterRules?.() ?? {})],
    ['includes', includes],
    ['values', [...Object.values(words).flat(), ...Object.values(numbers).flatMap(Object.keys)]],
  ];
  return parts
    .flatMap(([label, names]) => (names.length > 0 ? [`${label}: ${names.join(', ')}`] : []))
    .join('; ');
}
