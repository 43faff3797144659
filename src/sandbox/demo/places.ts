/** Where the demo business works: its branches with their sections and tables, its warehouse, its delivery zones. */
import type { DemoWriter } from './demo-writer.ts';
import { readTable } from './table-text.ts';

export const branches = ['branch-riverside', 'branch-old-town', 'branch-airport'] as const;
export const [riverside, oldTown, airport] = branches;
export const warehouses = ['warehouse-central', 'warehouse-north'] as const;

/** These records can't be made through the API, so an empty sandbox has them, too. */
export function addPlaces(writer: DemoWriter): void {
  writer.add('branches', { name: 'Riverside' }, riverside);
  writer.add('branches', { name: 'Old Town' }, oldTown);
  writer.add('branches', { name: 'Airport Road' }, airport);
  writer.add('warehouses', { name: 'Central Warehouse' }, warehouses[0]);
  writer.add('warehouses', { name: 'Cold Store North' }, warehouses[1]);
  writer.add('devices', { name: 'Till 1, Riverside' }, 'device-till-1');
  writer.add('devices', { name: 'Till 1, Old Town' }, 'device-till-2');
  for (let number = 1; number <= tableCount; number += 1) {
    writer.add('tables', { name: `Table ${number}` }, `table-${number}`);
  }
}

const tableCount = 36;
const tablesInSection = 6;

const sections = `
  Terrace        | الشرفة        | branch-riverside
  Main Hall      | الصالة الرئيسية | branch-riverside
  Family Section | قسم العائلات   | branch-riverside
  Courtyard      | الفناء         | branch-old-town
  Upper Floor    | الطابق العلوي  | branch-old-town
  Window Side    | جهة النوافذ    | branch-airport
`;

export function addSections(writer: DemoWriter): void {
  for (const [index, [name, name_localized, branch]] of readTable(sections).entries()) {
    const tables = Array.from(
      { length: tablesInSection },
      (_, place) => `table-${index * tablesInSection + place + 1}`,
    );
    writer.add('sections', { name, name_localized, branch, tables });
  }
}

/** Around the middle of the city, in degrees. */
const middle = { longitude: 46.6753, latitude: 24.7136 };

const directions = `
  North      | الشمال       | ZONE-NORTH
  North East | الشمال الشرقي | ZONE-NORTH-EAST
  East       | الشرق        | ZONE-EAST
  South East | الجنوب الشرقي | ZONE-SOUTH-EAST
  South      | الجنوب       | ZONE-SOUTH
  South West | الجنوب الغربي | ZONE-SOUTH-WEST
  West       | الغرب        | ZONE-WEST
  North West | الشمال الغربي | ZONE-NORTH-WEST
`;

const cornersInZone = 4;

export type Pair = [longitude: number, latitude: number];

export interface Zone {
  id: string;
  /** A point inside it. */
  inside: Pair;
}

/** The old town in the middle and a zone for each direction around it; neighbours share their borders. */
export function addDeliveryZones(writer: DemoWriter): Zone[] {
  const names = readTable(directions);
  const corners = names.length * cornersInZone;
  const ringAt = (distance: number, spread: number) =>
    Array.from({ length: corners }, (_, corner) =>
      pointAt((corner - cornersInZone / 2) / corners, distance + writer.chance.between(-spread, spread)),
    );
  const [inner, outer] = [ringAt(2500, 300), ringAt(8000, 1200)];
  const centre: Zone = {
    id: writer.add('delivery_zones', {
      name: 'City Centre',
      name_localized: 'وسط المدينة',
      reference: 'ZONE-CENTRE',
      coordinates: closed(inner),
      branches: [...branches],
    }),
    inside: [middle.longitude, middle.latitude],
  };
  const around = names.map(([name, name_localized, reference], index): Zone => {
    const side = (ring: Pair[]) =>
      Array.from(
        { length: cornersInZone + 1 },
        (_, place) => ring[(index * cornersInZone + place) % corners],
      );
    const coordinates = closed([...side(outer), ...side(inner).reverse()] as Pair[]);
    const branch = branches[index % branches.length];
    return {
      id: writer.add('delivery_zones', { name, name_localized, reference, coordinates, branches: [branch] }),
      inside: pointAt(index / names.length, 5000),
    };
  });
  return [centre, ...around];
}

/** So many metres from the middle, in a direction given as a part of the whole circle, clockwise from north. */
function pointAt(direction: number, metres: number): Pair {
  const angle = direction * 2 * Math.PI;
  const metresInDegree = 111_320;
  const latitude = middle.latitude + (Math.cos(angle) * metres) / metresInDegree;
  const wide = metresInDegree * Math.cos((middle.latitude * Math.PI) / 180);
  return [rounded(middle.longitude + (Math.sin(angle) * metres) / wide), rounded(latitude)];
}

function closed(ring: Pair[]): Pair[] {
  return [...ring, ...ring.slice(0, 1)];
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
