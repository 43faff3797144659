/** What the demo business sells: products in categories, combos, groups and gift cards. */
import type { DemoWriter } from './demo-writer.ts';
import { readTable } from './table-text.ts';

/** A category to a line: its name in both languages, its reference, its products. */
const menu = `
  Grills       | مشاوي       | CAT-01 | Mixed Grill, Lamb Kebab, Chicken Tawook, Kofta, Grilled Halloumi, Lamb Chops
  Starters     | مقبلات      | CAT-02 | Hummus, Moutabal, Falafel, Stuffed Vine Leaves, Fried Cauliflower, Labneh
  Salads       | سلطات       | CAT-03 | Fattoush, Tabbouleh, Greek Salad, Beetroot Salad, Rocket Salad, Potato Salad
  Soups        | شوربات      | CAT-04 | Lentil Soup, Chicken Soup, Freekeh Soup, Tomato Soup
  Sandwiches   | سندويشات    | CAT-05 | Chicken Shawarma, Beef Shawarma, Falafel Wrap, Halloumi Wrap, Club Sandwich, Kofta Wrap
  Rice Dishes  | أطباق الأرز | CAT-06 | Chicken Kabsa, Lamb Mandi, Shrimp Sayadieh, Maqluba, Biryani, Vegetable Rice
  Oven         | من الفرن    | CAT-07 | Cheese Manakish, Zaatar Manakish, Spinach Fatayer, Meat Sfiha, Margherita Pizza, Garlic Bread
  Breakfast    | فطور        | CAT-08 | Shakshouka, Foul Medames, Cheese Omelette, Labneh Plate, Pancakes, Fruit Bowl
  Sweets       | حلوى        | CAT-09 | Kunafa, Baklava, Umm Ali, Rice Pudding, Basbousa, Cheesecake
  Hot Drinks   | مشروبات ساخنة | CAT-10 | Arabic Coffee, Turkish Coffee, Espresso, Cappuccino, Mint Tea, Karak Tea
  Cold Drinks  | مشروبات باردة | CAT-11 | Lemon Mint, Orange Juice, Jallab, Ayran, Still Water, Cola
`;

const combos = `
  Family Feast   | Grills
  Lunch for Two  | Grills
  Wrap and Fries | Sandwiches
  Breakfast Tray | Breakfast
  Sweet Platter  | Sweets
`;

const discounts = ['Staff', 'Student', 'Opening Week'];

/** `Mixed Grill` is `product-mixed-grill`. */
export function slug(kind: string, name: string): string {
  return `${kind}-${name.toLowerCase().replaceAll(' ', '-')}`;
}

/** Known to the API by id alone, so an empty sandbox has them, too. */
export function addProducts(writer: DemoWriter): void {
  for (const [, , , products = ''] of readTable(menu)) {
    for (const name of products.split(', ')) writer.add('products', { name }, slug('product', name));
  }
  for (const [name = ''] of readTable(combos)) writer.add('combos', { name }, slug('combo', name));
  for (const name of discounts) writer.add('discounts', { name: `${name} discount` }, slug('discount', name));
  writer.add('price_tags', { name: 'Delivery prices' }, 'price-tag-delivery');
  writer.add('price_tags', { name: 'Airport prices' }, 'price-tag-airport');
}

/** Ids of categories by name. */
export function addCategories(writer: DemoWriter): Map<string, string> {
  const categories = readTable(menu).map(
    ([name = '', name_localized, reference, products]): [string, string] => [
      name,
      writer.add('categories', {
        name,
        name_localized,
        reference,
        image: `https://example.com/menu/${reference?.toLowerCase()}.jpg`,
        discounts: name === 'Sweets' ? ['discount-student'] : ['discount-staff'],
        products: productsOf(products),
        combos: combosIn(name),
      }),
    ],
  );
  const giftCards = writer.add('categories', {
    name: 'Gift Cards',
    name_localized: 'بطاقات الهدايا',
    reference: 'CAT-12',
  });
  return new Map([...categories, ['Gift Cards', giftCards]]);
}

interface GroupValues {
  products: string[];
  combos?: string[];
  subgroups?: string[];
  is_active?: boolean;
}

export function addGroups(writer: DemoWriter): Map<string, string> {
  const inCategories = (...names: string[]) =>
    readTable(menu).flatMap(([name = '', , , products]) =>
      names.includes(name) ? productsOf(products) : [],
    );
  const group = (name: string, name_localized: string, values: GroupValues): [string, string] => {
    const items_index = [...(values.combos ?? []), ...values.products];
    return [name, writer.add('groups', { name, name_localized, is_active: true, items_index, ...values })];
  };
  const drinks = group('Drinks Menu', 'قائمة المشروبات', {
    products: inCategories('Hot Drinks', 'Cold Drinks'),
  });
  const sweets = group('Sweets Menu', 'قائمة الحلوى', {
    products: inCategories('Sweets'),
    combos: ['combo-sweet-platter'],
  });
  const subgroups = [drinks[1], sweets[1]];
  return new Map([
    drinks,
    sweets,
    group('Breakfast Menu', 'قائمة الفطور', {
      products: inCategories('Breakfast', 'Oven'),
      combos: ['combo-breakfast-tray'],
      subgroups,
    }),
    group('All Day Menu', 'القائمة اليومية', {
      products: inCategories('Grills', 'Starters', 'Salads', 'Soups', 'Rice Dishes'),
      combos: ['combo-family-feast', 'combo-lunch-for-two'],
      subgroups,
    }),
    group('Delivery App', 'تطبيق التوصيل', {
      products: inCategories('Grills', 'Sandwiches'),
      combos: ['combo-wrap-and-fries'],
    }),
    group('Ramadan Menu', 'قائمة رمضان', { products: inCategories('Soups', 'Sweets'), is_active: false }),
  ]);
}

export function addGiftCards(
  writer: DemoWriter,
  { categories, groups, tags }: Record<'categories' | 'groups' | 'tags', ReadonlyMap<string, string>>,
): void {
  const cards = `
    Gift Card 50       | بطاقة هدية ٥٠        | GIFT-50   | 1 | 50  | Gift Cards | All Day Menu | Gift
    Gift Card 100      | بطاقة هدية ١٠٠       | GIFT-100  | 1 | 100 | Gift Cards | All Day Menu | Gift
    Gift Card 500      | بطاقة هدية ٥٠٠       | GIFT-500  | 1 | 500 | Gift Cards | All Day Menu | Gift
    Gift Card, Any Sum | بطاقة هدية بأي مبلغ  | GIFT-OPEN | 2 | 0   | Gift Cards | All Day Menu | Gift
    Coffee Card        | بطاقة القهوة         | COFFEE-10 | 1 | 90  | Hot Drinks | Drinks Menu  | Vegetarian
    Eid Card           | بطاقة العيد          | EID-200   | 1 | 200 | Sweets     | Sweets Menu  | Gift
  `;
  for (const [index, cells] of readTable(cards).entries()) {
    const [name, name_localized, sku, method, price, category = '', group = '', tag = ''] = cells;
    writer.add('gift_card_products', {
      name,
      name_localized,
      sku,
      barcode: `62810000001${index}0`,
      pricing_method: Number(method),
      price: Number(price),
      // Sold before the feast alone.
      is_active: sku !== 'EID-200',
      category: categories.get(category),
      tags: [tags.get(tag)],
      groups: [groups.get(group)],
      branches: index === 2 ? [{ id: 'branch-airport', is_active: false }] : [],
    });
  }
}

function productsOf(names = ''): string[] {
  return names.split(', ').map((name) => slug('product', name));
}

function combosIn(category: string): string[] {
  return readTable(combos).flatMap(([name = '', its]) => (its === category ? [slug('combo', name)] : []));
}
