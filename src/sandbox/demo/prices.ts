/** What the demo business charges and takes: taxes, ways to pay, timed events. */
import { dayLength, writeDay } from '../calendar.ts';
import type { DemoWriter } from './demo-writer.ts';
import { branches } from './places.ts';
import { readTable } from './table-text.ts';

/** Answers the id of the group that most things are taxed by. */
export function addTaxes(writer: DemoWriter): string {
  const vat = writer.add('taxes', { name: 'VAT', name_localized: 'ضريبة القيمة المضافة', rate: 15 });
  const excise = writer.add('taxes', { name: 'Drinks Excise', name_localized: 'ضريبة انتقائية', rate: 50 });
  const city = writer.add('taxes', { name: 'Municipality Fee', name_localized: 'رسوم البلدية', rate: 2.5 });
  writer.add('taxes', { name: 'Zero', name_localized: 'صفر', rate: 0 });
  const standard = writer.add('tax_groups', {
    name: 'Standard Rate',
    name_localized: 'النسبة الأساسية',
    reference: 'TG-STANDARD',
    taxes: [vat],
  });
  writer.add('tax_groups', {
    name: 'Soft Drinks',
    name_localized: 'المشروبات الغازية',
    reference: 'TG-DRINKS',
    taxes: [vat, excise],
  });
  writer.add('tax_groups', {
    name: 'Dine In',
    name_localized: 'داخل المطعم',
    reference: 'TG-DINE-IN',
    taxes: [vat, city],
  });
  return standard;
}

const paymentMethods = `
  Cash             | نقدا           | CASH    | 1
  Card             | بطاقة          | CARD    | 2
  Bank Transfer    | تحويل بنكي     | BANK    | 3
  Meal Voucher     | قسيمة وجبة     | VOUCHER | 3
  Gift Card        | بطاقة هدية     | GIFT    | 4
  House Account    | حساب آجل       | HOUSE   | 5
  Delivery Partner | شريك التوصيل   | PARTNER | 7
`;

export function addPaymentMethods(writer: DemoWriter): void {
  for (const [index, [name, name_localized, code, type]] of readTable(paymentMethods).entries()) {
    writer.add('payment_methods', {
      name,
      name_localized,
      code,
      type: Number(type),
      auto_open_drawer: code === 'CASH',
      is_active: code !== 'VOUCHER',
      index: index + 1,
    });
  }
}

/** Type, value, hours, and days from today on which it begins and ends. */
const timedEvents = `
  Happy Hour         | ساعة السعادة  | 3 | 25 | 16 | 18 | -30 | 60
  Breakfast Price    | سعر الفطور    | 1 | 19 | 6  | 11 | -90 | 90
  Lunch Offer        | عرض الغداء    | 2 | 5  | 12 | 15 | -60 | 30
  Late Night Service | خدمة آخر الليل | 4 | 3  | 23 | 24 | -60 | 120
  Holiday Surcharge  | رسوم العطلة   | 5 | 10 | 0  | 24 | 20  | 24
  Ramadan Dishes     | أطباق رمضان   | 6 | 0  | 18 | 23 | 40  | 70
  No Grill at Noon   | لا مشاوي ظهرا | 7 | 0  | 12 | 14 | -10 | 50
`;

export function addTimedEvents(
  writer: DemoWriter,
  {
    categories,
    tags,
    today,
  }: { categories: ReadonlyMap<string, string>; tags: ReadonlyMap<string, string>; today: number },
): void {
  const subjects = ['Cold Drinks', 'Breakfast', 'Sandwiches', 'Rice Dishes', 'Sweets', 'Soups', 'Grills'];
  const day = (offset: string | undefined) => writeDay(today + Number(offset) * dayLength);
  for (const [index, cells] of readTable(timedEvents).entries()) {
    const [name, name_localized, type, value, from, to, begins, ends] = cells;
    const [isWeekend, isWorkday] = [index !== 2, index !== 3];
    writer.add('timed_events', {
      name,
      name_localized,
      type: Number(type),
      value: Number(value),
      priority: index + 1,
      is_active: index !== 5,
      from_date: day(begins),
      to_date: day(ends),
      from_time: Number(from),
      to_time: Number(to),
      is_sat: isWorkday,
      is_sun: isWorkday,
      is_mon: isWorkday,
      is_tue: isWorkday,
      is_wed: isWorkday,
      is_thu: isWeekend,
      is_fri: isWeekend,
      order_types: index === 3 ? [1] : [1, 2, 3],
      categories: [categories.get(subjects[index] ?? '')],
      branches: index === 4 ? ['branch-airport'] : [...branches],
      combos: index === 2 ? ['combo-lunch-for-two', 'combo-wrap-and-fries'] : [],
      products: index === 6 ? ['product-mixed-grill'] : [],
      tags: index === 0 ? [tags.get('Vegetarian')] : [],
      customer_tags: index === 2 ? [tags.get('Corporate')] : [],
      price_tag: index === 3 ? ['price-tag-delivery'] : [],
    });
  }
}
