/** A mail as its author wrote it, the values that it is sent with, and the text that its reader gets beside the html. */
export type ArrivingMail = Readonly<{ name: string; html: string; fields?: Readonly<Record<string, string>>; text: string }>

const button = (address: string, label: string): string =>
  `<!--[if mso]><v:roundrect href="${address}"><center>${label} (Outlook)</center></v:roundrect><![endif]--><a href="${address}" style="mso-hide:all;background:#274;color:#fff;padding:8px 16px;font-size:14px">${label}</a>`

/** They are of the sort that mail programs, editors and builders of mails have trouble with. */
export const ARRIVING: readonly ArrivingMail[] = [
  {
    name: 'names of characters',
    html: '<h2>Caf&eacute; &laquo;&thinsp;{{firstName}}&thinsp;&raquo;</h2><p>Cr&egrave;me br&ucirc;l&eacute;e &ndash; 4&frac12;&nbsp;&euro; &hearts; &#x1F370;</p>',
    fields: { firstName: 'Zoë & Co' },
    text: 'Café «\u2009Zoë & Co\u2009»\n\nCrème brûlée – 4½ € ♥ 🍰',
  },
  {
    name: 'an image with an alt',
    html: '<a href="https://shop.example/sale"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="600" height="80" alt="Winter sale: &minus;50&nbsp;% until Sunday"></a>',
    text: 'Winter sale: −50 % until Sunday (https://shop.example/sale)',
  },
  {
    name: 'a hidden first line in a layout of tables',
    html: `<style>.peek{display:none}</style><div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Only in the list of mails &zwnj;&nbsp;&zwnj;&nbsp;</div><span class="peek">nor this</span><table role="presentation" width="100%"><tr><td style="font-size:0px"><table><tr><td style="font-size:16px"><b>Your order is on its way</b></td></tr><tr><td style="font-size:14px">It comes on Monday.</td></tr></table></td></tr><tr><td style="padding:12px">${button('https://shop.example/track', 'Follow it')}</td></tr></table>`,
    text: 'Your order is on its way\nIt comes on Monday.\n\nFollow it (https://shop.example/track)',
  },
  {
    name: 'values inside an address',
    html: '<p>Hello {{who}}, <a href="https://shop.example/go?email={{mail}}&code={{code}}">use {{code}}</a></p>',
    fields: { who: '<Ada>', mail: 'news+ada@example.com', code: 'A&B' },
    text: 'Hello <Ada>, use A&B (https://shop.example/go?email=news%2Bada@example.com&code=A%26B)',
  },
  {
    name: 'tags that an editor disguised',
    html: '<p>Dear {{&nbsp;name&nbsp;|friend}}, <a href="%7B%7Blink%7D%7D">read <b>{{</b>topic<b>}}</b></a>.</p>',
    fields: { name: '  ', link: 'https://shop.example/read', topic: 'the news' },
    text: 'Dear friend, read the news (https://shop.example/read).',
  },
  {
    name: 'a letter of an editor',
    html: '<div>Dear Ada,</div><div><br></div><div>thank you for your letter.</div><div>We will answer.<br><br>Kind regards<br>Bob</div><div>--&nbsp;<br><i>Acme Ltd</i></div>',
    text: 'Dear Ada,\n\nthank you for your letter.\nWe will answer.\n\nKind regards\nBob\n--\nAcme Ltd',
  },
  {
    name: 'lists and an order',
    html: '<ol><li>Open the box<li>Read:<ul><li>the manual<li>the warranty</ul><li>Enjoy</ol><table border="1"><tr><th>Item<th>Price</tr><tr><td>Tea<td>4.00 &euro;</tr><tr><td>Total<td><b>4.00 &euro;</b></tr></table>',
    text: '1. Open the box\n2. Read:\n  - the manual\n  - the warranty\n3. Enjoy\n\nItem Price\nTea 4.00 €\nTotal 4.00 €',
  },
  {
    name: 'Hebrew',
    html: '<div dir="rtl" lang="he"><h2>שלום {{name}}!</h2><p>ההזמנה שלך <b>&#8207;#4711</b> בדרך.<br>לפרטים: <a href="https://shop.example/הזמנה?n=4711">כאן</a></p></div>',
    fields: { name: 'דנה' },
    text: 'שלום דנה!\n\nההזמנה שלך \u200f#4711 בדרך.\nלפרטים: כאן (https://shop.example/%D7%94%D7%96%D7%9E%D7%A0%D7%94?n=4711)',
  },
  {
    name: 'what is written badly',
    html: '<head><title>t</title><body><p style=color:#333>One <b>bold <i>both</b> text</i><p>5 < 6 &amp 7 > 6 &copy 2026<!-- a > b --><script>if (a < b) { alert("</p>") }</script><div hidden>never<p>never</div><a href=https://shop.example/a?b=1&copy=2>go</a>',
    text: 'One bold both text\n\n5 < 6 & 7 > 6 © 2026\n\ngo (https://shop.example/a?b=1&copy=2)',
  },
  {
    name: 'several languages and emoji',
    html: '<p>Grüße &amp; שלום &amp; こんにちは 👨‍👩‍👧 می‌خواهم co&shy;operate</p><pre>a  b\n  c</pre><p><a href="tel:+97231234567">Call</a> or <a href="mailto:help@shop.example?subject=Hi">write</a>, www: <a href="https://www.shop.example/">shop.example</a></p>',
    text: 'Grüße & שלום & こんにちは 👨‍👩‍👧 می‌خواهم cooperate\n\na  b\n  c\n\nCall (+97231234567) or write (help@shop.example), www: shop.example',
  },
]
