/** Adds the demo's customers, with names in English and Arabic and addresses in the delivery zones. */
import { dayMs, formatDay } from '../calendar.ts';
import type { GeoPoint } from './delivery-zones.ts';
import demo from './demo.json' with { type: 'json' };
import type { DemoWriter } from './demo-writer.ts';
import type { DemoZone } from './records.ts';

const customerCount = 200;

const { women, men, families, arabicWomen, arabicMen, arabicFamilies, addressNames, streets, floors } =
  demo.customers;

/** A demo customer, for the parts of the demo that are added later. */
export interface DemoCustomer {
  id: string;
  isInLoyalty: boolean;
}

/** Adds the customers with their addresses and returns them. The first customer is the example of the contract. */
export function addCustomers(writer: DemoWriter, zones: readonly DemoZone[]): DemoCustomer[] {
  const { random } = writer;
  return Array.from({ length: customerCount }, (_, index) => {
    writer.setTime(380 - index, 8 + (index % 12));
    const isFirst = index === 0;
    const isWoman = isFirst || random.hasChance(2);
    const isInLoyalty = isFirst || !random.hasChance(3);
    const hasHouseAccount = random.hasChance(12);
    const tag =
      isFirst || random.hasChance(4)
        ? 'Regular'
        : random.hasChance(9)
          ? 'VIP'
          : hasHouseAccount
            ? 'Corporate'
            : undefined;
    const age = random.between(20 * 365, 65 * 365);
    const id = writer.add('customers', {
      name: isFirst ? 'Huda Al-Amin' : customerName(writer, isWoman, index),
      dial_code: random.hasChance(15) ? 971 : 966,
      phone: `5${10_000_000 + ((index * 7_654_321) % 89_999_999)}`,
      email: random.hasChance(3) ? null : `customer${index + 1}@example.com`,
      gender: random.hasChance(8) ? null : isWoman ? 2 : 1,
      birth_date: random.hasChance(3) ? null : formatDay(writer.now - age * dayMs),
      is_loyalty_enabled: isInLoyalty,
      is_blacklisted: !isFirst && random.hasChance(40),
      is_house_account_enabled: hasHouseAccount,
      house_account_limit: hasHouseAccount ? random.between(2, 20) * 100 : null,
      house_account_balance: hasHouseAccount ? random.between(0, 900) / 2 : 0,
      tags: tag === undefined ? [] : [tag],
    });
    for (let number = 0; number < (isFirst ? 2 : random.between(0, 2)); number += 1) {
      addAddress(writer, id, random.pick(zones), isFirst && number === 0 ? 'address-huda-home' : undefined);
    }
    return { id, isInLoyalty };
  });
}

function customerName({ random }: DemoWriter, isWoman: boolean, index: number): string {
  return index % 4 === 3
    ? `${random.pick(isWoman ? arabicWomen : arabicMen)} ${random.pick(arabicFamilies)}`
    : `${random.pick(isWoman ? women : men)} ${random.pick(families)}`;
}

function addAddress(writer: DemoWriter, customer: string, zone: DemoZone, id?: string): void {
  const { random } = writer;
  const [longitude, latitude] = pointNear(writer, zone.center);
  const values = {
    name: id ? 'Home' : random.pick(addressNames),
    description: `${random.between(1, 140)} ${random.pick(streets)}, ${random.pick(floors)}`,
    latitude: latitude.toFixed(5),
    longitude: longitude.toFixed(5),
    customer,
    delivery_zone: zone.name,
  };
  writer.add('addresses', values, id ?? writer.newId('addresses'));
}

/** Returns a point within about 500 meters. */
function pointNear({ random }: DemoWriter, [longitude, latitude]: GeoPoint): GeoPoint {
  const randomShift = () => random.between(-450, 450) / 100_000;
  return [longitude + randomShift(), latitude + randomShift()];
}
