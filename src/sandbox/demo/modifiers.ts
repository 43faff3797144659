/** How products of the demo's menu can be had: modifiers with their options. */
import type { DemoWriter } from './demo-writer.ts';
import { slug } from './menu.ts';
import { readTable } from './table-text.ts';

/** A modifier to a paragraph: itself with its products, then an option to a line with its price and what it is made of. */
const modifiers = `
  Choice of Bread | اختيار الخبز   | MOD-BREAD  | Mixed Grill, Lamb Kebab, Chicken Tawook, Hummus
    Pita          | خبز عربي       | 0   | SKU-041=80
    Saj           | خبز صاج        | 2   | SKU-041=60
    No Bread      | بدون خبز       | 0   |

  Spice Level     | درجة الحرارة   | MOD-SPICE  | Chicken Shawarma, Biryani, Shakshouka
    Mild          | خفيف           | 0   |
    Medium        | متوسط          | 0   | SKU-034=2
    Hot           | حار            | 0   | SKU-034=5

  Extra Topping   | إضافات         | MOD-TOP    | Cheese Manakish, Margherita Pizza, Chicken Shawarma
    Extra Cheese  | جبنة إضافية    | 5   | SKU-026=40
    Olives        | زيتون          | 3   | SKU-031=20
    Garlic Sauce  | صلصة الثوم     | 2   | SKU-056=30

  Side Dish       | طبق جانبي      | MOD-SIDE   | Mixed Grill, Lamb Chops, Club Sandwich
    Fries         | بطاطا مقلية    | 0   | SKU-004=150
    Rice          | أرز            | 0   | SKU-030=120
    Green Salad   | سلطة خضراء     | 4   | SKU-005=60

  Milk            | الحليب         | MOD-MILK   | Cappuccino, Karak Tea
    Full Fat      | كامل الدسم     | 0   | SKU-023=120
    Oat           | شوفان          | 4   |

  Size            | الحجم          | MOD-SIZE   | Lemon Mint, Orange Juice, Arabic Coffee
    Regular       | عادي           | 0   |
    Large         | كبير           | 6   |
`;

/** `items` are ids by sku. */
export function addModifiers(writer: DemoWriter, items: ReadonlyMap<string, string>, taxGroup: string): void {
  for (const [order, paragraph] of modifiers.trim().split('\n\n').entries()) {
    const [head = [], ...options] = readTable(paragraph);
    const [name, name_localized, reference = '', products = ''] = head;
    writer.add('modifiers', {
      name,
      name_localized,
      reference,
      // Its options have no prices yet.
      is_ready: reference !== 'MOD-SIZE',
      products: products.split(', ').map((product) => slug('product', product)),
      options: options.map(([label, localized, price, made = ''], index) => ({
        name: label,
        name_localized: localized,
        sku: `${reference}-${index + 1}`,
        is_active: true,
        costing_method: made === '' ? 1 : 2,
        price: Number(price),
        cost: made === '' ? 0.5 : null,
        calories: made === '' ? null : 40 + index * 35,
        tax_group: taxGroup,
        products: index === 0 ? products.split(', ').map((product) => slug('product', product)) : [],
        branches:
          order === 0 && index === 1
            ? [{ id: 'branch-airport', price: 3, is_active: true, is_in_stock: true }]
            : [],
        ingredients: ingredientsOf(made, items),
      })),
    });
  }
}

/** `SKU-041=80` is 80 of its ingredient units. */
function ingredientsOf(made: string, items: ReadonlyMap<string, string>): object[] {
  if (made === '') return [];
  const [sku = '', quantity] = made.split('=');
  return [{ id: items.get(sku), quantity: Number(quantity) }];
}
