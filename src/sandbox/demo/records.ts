/** Adds the records of demo.json: records of every sandbox, records of the demo business, and deleted records. */
import type { RandomGenerator } from '../../base/random.ts';
import { dayMs, formatDay, formatTimestamp } from '../calendar.ts';
import { updateRow } from '../store/rows.ts';
import demo from './demo.json' with { type: 'json' };
import type { DemoValues, DemoWriter } from './demo-writer.ts';

/** The records of one resource as a table. `null` and missing cells mean no value. Relations contain names or IDs. */
interface RecordTable {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

type RecordTables = Readonly<Record<string, RecordTable>>;

/** Functions that compute additional values of a record, by resource. */
type ComputedValues = Readonly<Record<string, (values: DemoValues, index: number) => DemoValues>>;

/** The IDs of the branches: Riverside, Old Town and Airport, which has the smallest store room. */
export const branches = idsIn(demo.always.branches);

export const warehouses = idsIn(demo.always.warehouses);

/** Adds the records that the API can't create. An empty sandbox has them too. Other fields exist only in some deployments. */
export function addReferenceRecords(writer: DemoWriter): void {
  addAll(writer, demo.always, {
    branches: (_, index) => ({ reference: `B${index + 1}` }),
    warehouses: (_, index) => ({ reference: `W${index + 1}` }),
    products: (_, index) => ({ sku: `P-${index + 1}`, price: 12 + 3 * index }),
    combos: (_, index) => ({ sku: `C-${index + 1}`, price: 30 + 5 * index }),
  });
}

/** Adds records with fields and values that only a deployment has, if the API is that of a deployment. */
export function addDeployedRecords(writer: DemoWriter): void {
  if (writer.tables.api.base) addAll(writer, demo.deployed);
}

/** Adds the owner, which every account has, and returns their ID. */
export function addOwner(writer: DemoWriter): string {
  const { tables } = writer;
  return writer.addToTable(tables.get('users'), {
    ...demo.owner,
    branches,
    notifications: tables.get('users').fields.notifications?.traits.allowed,
  });
}

/** The name of a delivery zone, and a point in its center. */
export interface DemoZone {
  name: string;
  center: GeoPoint;
}

/** Adds the records of the demo business and returns its delivery zones. `today` is in milliseconds since 1970. */
export function addBusinessRecords(writer: DemoWriter, today: number): DemoZone[] {
  const { random } = writer;
  const shapes = deliveryZoneShapes(random);
  addAll(writer, demo.business, {
    delivery_zones: (_, index) => ({ coordinates: shapes[index]?.coordinates }),
    inventory_items: (_, index) => {
      const level = random.between(2, 12);
      const [airport] = branches.slice(-1);
      const airportLevels = { id: airport, minimum_level: '1', par_level: String(level) };
      return {
        minimum_level: String(level),
        par_level: String(level * 3),
        maximum_level: String(level * 6),
        branches: index % 6 === 0 ? [{ ...airportLevels, maximum_level: String(level * 2) }] : [],
      };
    },
    groups: ({ combos, products }) => ({ items_index: [combos ?? [], products].flat() }),
    timed_events: ({ from_date, to_date }) => ({
      from_date: formatDay(today + Number(from_date) * dayMs),
      to_date: formatDay(today + Number(to_date) * dayMs),
    }),
  });
  return shapes.map(({ center }, index) => ({
    name: String(demo.business.delivery_zones.rows[index]?.[0]),
    center,
  }));
}

/** The age of the deleted records, in days. */
const createdDaysAgo = 370;

/** The days since the deletion, for the first and the second record of each resource. */
const deletedDaysAgo = [210, 96];

/** Adds two deleted records of every resource whose lists can return deleted records. */
export function addDeletedRecords(writer: DemoWriter, customers: readonly string[]): void {
  const { database, tables } = writer;
  for (const [name, table] of Object.entries<RecordTable>(demo.deleted)) {
    if (!tables.has(name)) continue;
    for (const [index, values] of recordsIn(table).entries()) {
      writer.setTime(createdDaysAgo - index, 10 + index);
      const relations = name === 'addresses' ? { customer: customers[index + 1] } : {};
      const id = writer.add(name, { ...values, ...relations });
      writer.setTime(deletedDaysAgo[index] ?? 0, 15);
      const timestamp = formatTimestamp(writer.now);
      updateRow(database, tables.get(name), id, { deleted_at: timestamp, updated_at: timestamp });
    }
  }
}

function addAll(writer: DemoWriter, tables: RecordTables, computed: ComputedValues = {}): void {
  for (const [name, table] of Object.entries(tables)) {
    for (const [index, { id, ...values }] of recordsIn(table).entries()) {
      const computedValues = computed[name]?.(values, index);
      writer.add(name, { ...values, ...computedValues }, id as string | undefined);
    }
  }
}

function recordsIn({ columns, rows }: RecordTable): DemoValues[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((name, index) => ((row[index] ?? null) === null ? [] : [[name, row[index]]])),
    ),
  );
}

function idsIn({ rows }: RecordTable): string[] {
  return rows.map(([id]) => String(id));
}

/** A point on the map, in degrees. */
export type GeoPoint = [longitude: number, latitude: number];

/** The shape of a delivery zone: its closed border, and a point in its center. */
interface ZoneShape {
  coordinates: GeoPoint[];
  center: GeoPoint;
}

/** The center of the city, in degrees. */
const cityCenter = { longitude: 46.6753, latitude: 24.7136 };

const directionCount = 8;
const cornersInZone = 4;
const cornerCount = directionCount * cornersInZone;

/**
 * Returns the borders of the delivery zones: the city center, then a zone for each of eight directions, clockwise from
 * north. Neighbors share their borders.
 */
function deliveryZoneShapes(random: RandomGenerator): ZoneShape[] {
  const ringAt = (meters: number, spread: number) =>
    Array.from({ length: cornerCount }, (_, corner) =>
      pointAt((corner - cornersInZone / 2) / cornerCount, meters + random.between(-spread, spread)),
    );
  const [inner, outer] = [ringAt(2500, 300), ringAt(8000, 1200)];
  const edge = (ring: GeoPoint[], index: number) =>
    Array.from(
      { length: cornersInZone + 1 },
      (_, corner) => ring[(index * cornersInZone + corner) % cornerCount],
    );
  const outerZones = Array.from({ length: directionCount }, (_, index): ZoneShape => {
    const border = [...edge(outer, index), ...edge(inner, index).reverse()] as GeoPoint[];
    return { coordinates: closeRing(border), center: pointAt(index / directionCount, 5000) };
  });
  return [
    { coordinates: closeRing(inner), center: [cityCenter.longitude, cityCenter.latitude] },
    ...outerZones,
  ];
}

/** Returns the point at a distance from the city center. The direction is a fraction of a circle, clockwise from north. */
function pointAt(direction: number, meters: number): GeoPoint {
  const angle = direction * 2 * Math.PI;
  const metersPerDegree = 111_320;
  const latitude = cityCenter.latitude + (Math.cos(angle) * meters) / metersPerDegree;
  const metersPerLongitudeDegree = metersPerDegree * Math.cos((cityCenter.latitude * Math.PI) / 180);
  return [
    roundDegrees(cityCenter.longitude + (Math.sin(angle) * meters) / metersPerLongitudeDegree),
    roundDegrees(latitude),
  ];
}

function closeRing(ring: GeoPoint[]): GeoPoint[] {
  return [...ring, ...ring.slice(0, 1)];
}

function roundDegrees(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
