/** What the demo business had once and has deleted since: two records of every kind that can be deleted and still be seen. */
import { writeMoment } from '../calendar.ts';
import { updateRow } from '../store/rows.ts';
import type { DemoWriter, Values } from './demo-writer.ts';
import { oldTown, riverside } from './places.ts';

const made = 370;
/** How many days ago they were deleted: the first of each kind, and the second. */
const deleted = [210, 96];

export function addPast(
  writer: DemoWriter,
  customers: readonly string[],
  categories: ReadonlyMap<string, string>,
): void {
  const category = categories.get('Gift Cards');
  const event = { value: 10, from_time: 12, to_time: 15, order_types: [1], is_active: false };
  const item = {
    storage_unit: 'kg',
    ingredient_unit: 'g',
    storage_to_ingredient_factor: 1000,
    costing_method: 1,
  };
  const past: Readonly<Record<string, readonly [Values, Values]>> = {
    customers: [
      { name: 'Rima Kattan', dial_code: 966, phone: '599000001', email: 'rima.kattan@example.com' },
      { name: 'سامر عبود', dial_code: 971, phone: '599000002' },
    ],
    addresses: [
      { name: 'Old Flat', description: '8 Well Street, first floor', customer: customers[1] },
      { name: 'البيت القديم', description: '31 Garden Road, villa', customer: customers[2] },
    ],
    users: [
      {
        name: 'Jad Mousa',
        number: '0901',
        email: 'jad.mousa@example.com',
        lang: 'en',
        branches: [riverside],
      },
      { name: 'سلوى عيسى', number: '0902', pin: '0902', lang: 'ar', branches: [oldTown] },
    ],
    roles: [
      { name: 'Trainee', name_localized: 'متدرب', authorities: ['menu:read'] },
      { name: 'Host', name_localized: 'مضيف', authorities: ['orders:read'] },
    ],
    categories: [
      { name: 'Fondue', name_localized: 'فوندو', reference: 'CAT-90-OLD' },
      { name: 'Smoothies', name_localized: 'سموذي', reference: 'CAT-91-OLD' },
    ],
    groups: [
      { name: 'Opening Menu', name_localized: 'قائمة الافتتاح' },
      { name: 'Winter Menu', name_localized: 'قائمة الشتاء' },
    ],
    modifiers: [
      { name: 'Choice of Dip', name_localized: 'اختيار الغموس', reference: 'MOD-DIP', is_ready: false },
      { name: 'Ice', name_localized: 'ثلج', reference: 'MOD-ICE', is_ready: true },
    ],
    gift_card_products: [
      {
        name: 'Gift Card 20',
        name_localized: 'بطاقة هدية ٢٠',
        sku: 'GIFT-20',
        pricing_method: 1,
        price: 20,
        category,
      },
      {
        name: 'Opening Card',
        name_localized: 'بطاقة الافتتاح',
        sku: 'GIFT-OPENING',
        pricing_method: 2,
        price: 0,
        category,
      },
    ],
    payment_methods: [
      { name: 'Cheque', name_localized: 'شيك', code: 'CHEQUE', type: 3 },
      { name: 'Old Delivery App', name_localized: 'تطبيق سابق', code: 'OLDAPP', type: 7 },
    ],
    taxes: [
      { name: 'Former VAT', name_localized: 'ضريبة سابقة', rate: 5 },
      { name: 'Tourism Fee', name_localized: 'رسم سياحي', rate: 1 },
    ],
    tax_groups: [
      { name: 'Former Rate', name_localized: 'النسبة السابقة', reference: 'TG-FORMER' },
      { name: 'Tourism', name_localized: 'سياحة', reference: 'TG-TOURISM' },
    ],
    tags: [
      { name: 'Opening Week', name_localized: 'أسبوع الافتتاح', type: 1 },
      { name: 'Seasonal Dish', name_localized: 'طبق موسمي', type: 7 },
    ],
    sections: [
      { name: 'Roof', name_localized: 'السطح', branch: riverside },
      { name: 'Play Corner', name_localized: 'ركن الأطفال', branch: oldTown },
    ],
    delivery_zones: [
      { name: 'Ring Road', name_localized: 'الطريق الدائري', reference: 'ZONE-RING', branches: [riverside] },
      { name: 'Harbour', name_localized: 'الميناء', reference: 'ZONE-HARBOUR', branches: [oldTown] },
    ],
    timed_events: [
      { ...event, name: 'Opening Offer', type: 3, from_date: '2025-01-01', to_date: '2025-01-31' },
      { ...event, name: 'Founding Day', type: 2, from_date: '2025-02-20', to_date: '2025-02-23' },
    ],
    inventory_item_categories: [
      { name: 'Cleaning', name_localized: 'تنظيف', reference: 'CLEAN' },
      { name: 'Uniforms', name_localized: 'زي العمل', reference: 'UNIFORM' },
    ],
    inventory_items: [
      { ...item, sku: 'SKU-901-OLD', name: 'Gruyère', name_localized: 'جبنة غرويير', cost: 70 },
      { ...item, sku: 'SKU-902-OLD', name: 'Frozen Mango', name_localized: 'مانجو مجمدة', cost: 18 },
    ],
    suppliers: [
      { name: 'Alpine Cheese', contact_name: 'Luca Meier', code: 'SUP-90-OLD', phone: '555000290' },
      { name: 'Gulf Frozen', contact_name: 'Nawal Sabt', code: 'SUP-91-OLD', phone: '555000291' },
    ],
  };
  for (const [table, records] of Object.entries(past)) {
    for (const [index, values] of records.entries()) addDeleted(writer, table, values, index);
  }
}

function addDeleted(writer: DemoWriter, table: string, values: Values, index: number): void {
  const { database, tables } = writer;
  if (!tables.has(table)) return;
  writer.goTo(made - index, 10 + index);
  const id = writer.add(table, values);
  writer.goTo(deleted[index] ?? 0, 15);
  const moment = writeMoment(writer.now);
  updateRow(database, tables.named(table), id, { deleted_at: moment, updated_at: moment });
}
