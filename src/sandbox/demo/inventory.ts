/** What the demo business stores: categories, items with their ingredients, and who supplies them. */
import type { DemoWriter } from './demo-writer.ts';
import { branches } from './places.ts';
import { readTable } from './table-text.ts';

const categories = `
  Vegetables      | خضروات        | VEG
  Fruit and Herbs | فواكه وأعشاب  | FRUIT
  Meat and Fish   | لحوم وأسماك   | MEAT
  Dairy and Eggs  | ألبان وبيض    | DAIRY
  Pantry          | مؤونة         | PANTRY
  Spices          | بهارات        | SPICE
  Bakery          | مخبوزات       | BAKERY
  Drinks          | مشروبات       | DRINK
  Prepared        | مجهزة         | PREP
  Packaging       | تغليف         | PACK
`;

/** In order of their skus: names, category, storage unit, ingredient unit, how they convert, cost of a storage unit. */
const items = `
  Tomatoes         | طماطم          | VEG    | kg    | g     | 1000 | 4.5
  Cucumbers        | خيار           | VEG    | kg    | g     | 1000 | 4
  Onions           | بصل            | VEG    | kg    | g     | 1000 | 2.5
  Potatoes         | بطاطا          | VEG    | kg    | g     | 1000 | 3
  Lettuce          | خس             | VEG    | kg    | g     | 1000 | 6
  Aubergines       | باذنجان        | VEG    | kg    | g     | 1000 | 4.25
  Lemons           | ليمون          | FRUIT  | kg    | g     | 1000 | 7
  Oranges          | برتقال         | FRUIT  | kg    | g     | 1000 | 5.5
  Mint             | نعناع          | FRUIT  | bunch | g     | 50   | 1.5
  Parsley          | بقدونس         | FRUIT  | bunch | g     | 60   | 1.25
  Pomegranates     | رمان           | FRUIT  | kg    | g     | 1000 | 9
  Bananas          | موز            | FRUIT  | kg    | g     | 1000 | 5
  Lamb Shoulder    | كتف خروف       | MEAT   | kg    | g     | 1000 | 58
  Minced Lamb      | لحم خروف مفروم | MEAT   | kg    | g     | 1000 | 52
  Beef Strips      | شرائح بقر      | MEAT   | kg    | g     | 1000 | 46
  Chicken Breast   | صدر دجاج       | MEAT   | kg    | g     | 1000 | 24
  Whole Chicken    | دجاج كامل      | MEAT   | piece | g     | 1100 | 17
  Lamb Chops       | ريش خروف       | MEAT   | kg    | g     | 1000 | 72
  Shrimp           | جمبري          | MEAT   | kg    | g     | 1000 | 65
  Sea Bass         | سمك قاروص      | MEAT   | kg    | g     | 1000 | 54
  Yoghurt          | زبادي          | DAIRY  | kg    | g     | 1000 | 8
  Strained Yoghurt | لبنة           | DAIRY  | kg    | g     | 1000 | 21
  Milk             | حليب           | DAIRY  | l     | ml    | 1000 | 6
  Butter           | زبدة           | DAIRY  | kg    | g     | 1000 | 34
  Cream            | قشطة           | DAIRY  | l     | ml    | 1000 | 26
  White Cheese     | جبنة بيضاء     | DAIRY  | kg    | g     | 1000 | 29
  Halloumi         | حلوم           | DAIRY  | kg    | g     | 1000 | 41
  Eggs             | بيض            | DAIRY  | tray  | piece | 30   | 19
  Flour            | طحين           | PANTRY | kg    | g     | 1000 | 3.2
  Basmati Rice     | أرز بسمتي      | PANTRY | kg    | g     | 1000 | 9.5
  Olives           | زيتون          | PANTRY | kg    | g     | 1000 | 18
  Chickpeas        | حمص            | PANTRY | kg    | g     | 1000 | 7.5
  Red Lentils      | عدس أحمر       | PANTRY | kg    | g     | 1000 | 6.5
  Chilli Flakes    | فلفل حار مجروش | SPICE  | kg    | g     | 1000 | 38
  Cumin            | كمون           | SPICE  | kg    | g     | 1000 | 33
  Sumac            | سماق           | SPICE  | kg    | g     | 1000 | 36
  Zaatar           | زعتر           | SPICE  | kg    | g     | 1000 | 44
  Seven Spices     | سبع بهارات     | SPICE  | kg    | g     | 1000 | 40
  Salt             | ملح            | SPICE  | kg    | g     | 1000 | 1.2
  Sugar            | سكر            | PANTRY | kg    | g     | 1000 | 3.6
  Pita Bread       | خبز عربي       | BAKERY | pack  | g     | 500  | 3
  Filo Pastry      | عجينة رقائق    | BAKERY | pack  | g     | 450  | 9
  Toast            | توست           | BAKERY | pack  | piece | 20   | 6.5
  Still Water      | ماء            | DRINK  | case  | piece | 24   | 14
  Cola             | كولا           | DRINK  | case  | piece | 24   | 38
  Arabic Coffee    | قهوة عربية     | DRINK  | kg    | g     | 1000 | 62
  Espresso Beans   | حبوب إسبريسو   | DRINK  | kg    | g     | 1000 | 78
  Black Tea        | شاي أسود       | DRINK  | kg    | g     | 1000 | 48
  Olive Oil        | زيت زيتون      | PANTRY | l     | ml    | 1000 | 32
  Frying Oil       | زيت قلي        | PANTRY | l     | ml    | 1000 | 9
  Tahini           | طحينة          | PANTRY | kg    | g     | 1000 | 22
  Tomato Paste     | معجون طماطم    | PANTRY | kg    | g     | 1000 | 11
  Hummus Base      | حمص مهروس      | PREP   | kg    | g     | 1000 |
  Falafel Mix      | خلطة فلافل     | PREP   | kg    | g     | 1000 |
  Shawarma Marinade | تتبيلة شاورما | PREP   | l     | ml    | 1000 |
  Garlic Sauce     | صلصة ثوم       | PREP   | kg    | g     | 1000 |
  Meal Box         | علبة وجبة      | PACK   | box   | piece | 200  | 96
  Paper Bag        | كيس ورقي       | PACK   | box   | piece | 500  | 110
  Cup              | كوب            | PACK   | box   | piece | 1000 | 130
  Cutlery Set      | طقم أدوات مائدة | PACK   | box   | piece | 250  | 75
`;

/** What goes into one storage unit, in ingredient units, and how much of it is left to use, in percent. */
const recipes = `
  Hummus Base       | Chickpeas=600/95, Tahini=200, Lemons=120/45, Salt=10
  Falafel Mix       | Chickpeas=700/95, Onions=150/90, Parsley=60/80, Cumin=12
  Shawarma Marinade | Yoghurt=600, Olive Oil=200, Seven Spices=60, Lemons=150/45
  Garlic Sauce      | Frying Oil=550, Eggs=4, Lemons=80/45, Salt=8
`;

/** The reference of each supplier's categories after its contact. */
const suppliers = `
  Fresh Farms        | Yusuf Darwish  | SUP-01 | VEG, FRUIT
  Green Valley       | Reem Saad      | SUP-02 | VEG
  Prime Butchers     | Hassan Omari   | SUP-03 | MEAT
  Gulf Catch         | Salim Bahri    | SUP-04 | MEAT
  White Hills Dairy  | Noura Jaber    | SUP-05 | DAIRY
  Old Mill Trading   | Ziad Khoury    | SUP-06 | PANTRY, SPICE
  مخابز السنابل      | ماجد العلي     | SUP-07 | BAKERY
  Oasis Drinks       | Fadi Sabbagh   | SUP-08 | DRINK
  PackRight          | Amal Shami     | SUP-09 | PACK
`;

/** Ids of items by sku, in their order. */
export function addInventory(writer: DemoWriter, tags: ReadonlyMap<string, string>): Map<string, string> {
  const categoryIds = new Map(
    readTable(categories).map(([name, name_localized, reference = '']) => [
      reference,
      writer.add('inventory_item_categories', { name, name_localized, reference }),
    ]),
  );
  const byName = new Map<string, string>();
  const bySku = new Map<string, string>();
  const inCategory = new Map<string, string[]>();
  for (const [index, cells] of readTable(items).entries()) {
    const [name = '', name_localized, category = '', storage_unit, ingredient_unit, factor, cost = ''] =
      cells;
    const number = String(index + 1).padStart(3, '0');
    const level = writer.chance.between(2, 12);
    const isPerishable = ['VEG', 'FRUIT', 'MEAT', 'DAIRY'].includes(category);
    const id = writer.add('inventory_items', {
      sku: `SKU-${number}`,
      barcode: index % 5 === 4 ? null : `6281000000${number}`,
      name,
      name_localized,
      minimum_level: String(level),
      par_level: String(level * 3),
      maximum_level: String(level * 6),
      storage_unit,
      ingredient_unit,
      storage_to_ingredient_factor: Number(factor),
      costing_method: cost === '' ? 2 : 1,
      cost: cost === '' ? undefined : Number(cost),
      category: categoryIds.get(category),
      is_product: name === 'Still Water' || name === 'Cola',
      tags: isPerishable ? [tags.get('Perishable')] : [],
      branches: index % 6 === 0 ? [branchLevels(level)] : [],
      ingredients: recipeOf(name, byName),
    });
    byName.set(name, id);
    bySku.set(`SKU-${number}`, id);
    inCategory.set(category, [...(inCategory.get(category) ?? []), id]);
  }
  addSuppliers(writer, inCategory, tags);
  return bySku;
}

/** The airport branch has the smallest store. */
function branchLevels(level: number): object {
  const [, , id] = branches;
  return { id, minimum_level: '1', par_level: String(level), maximum_level: String(level * 2) };
}

function recipeOf(name: string, byName: ReadonlyMap<string, string>): object[] {
  const [, parts] = readTable(recipes).find(([product]) => product === name) ?? [];
  return (parts?.split(', ') ?? []).map((part) => {
    const [ingredient = '', amount = ''] = part.split('=');
    const [quantity, yielded] = amount.split('/');
    return {
      id: byName.get(ingredient),
      quantity: Number(quantity),
      yield_percentage: yielded === undefined ? null : Number(yielded),
    };
  });
}

function addSuppliers(
  writer: DemoWriter,
  inCategory: ReadonlyMap<string, readonly string[]>,
  tags: ReadonlyMap<string, string>,
): void {
  for (const [index, [name, contact_name, code, supplied = '']] of readTable(suppliers).entries()) {
    const offered = supplied.split(', ').flatMap((category) => inCategory.get(category) ?? []);
    writer.add('suppliers', {
      name,
      contact_name,
      code,
      phone: `55500020${index}`,
      email: `orders@supplier-${index + 1}.example`,
      tags: [tags.get(index < 6 ? 'Local' : 'Weekly')],
      items: offered.map((id, place) => ({
        id,
        order_unit: place % 3 === 0 ? 'crate' : 'box',
        order_to_storage_factor: 6 + (place % 4) * 2,
        minimum_order_quantity: place % 2 === 0 ? 1 : null,
        cost: 20 + place * 7.5,
        code: `${code}-${String(place + 1).padStart(2, '0')}`,
      })),
    });
  }
}
