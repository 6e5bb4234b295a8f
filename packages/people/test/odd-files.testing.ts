import type { CustomFieldKind } from '@tidings/domain'

/** `map`: as `--map` has it. `lines`: of each line the person or the reason of its refusal; or the sentence that refuses the whole file. */
export type OddFile = Readonly<{
  name: string
  bytes: Buffer
  map?: Readonly<Record<string, string | null>>
  encoding?: string
  gives: readonly string[] | RegExp
}>

const utf8 = (text: string): Buffer => Buffer.from(text)
const utf16le = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le')
const utf16be = (text: string): Buffer => utf16le(text).swap16()
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const odd = (name: string, bytes: Buffer | string, gives: OddFile['gives'], options: Pick<OddFile, 'map' | 'encoding'> = {}): OddFile => ({
  ...options,
  name,
  bytes: typeof bytes === 'string' ? utf8(bytes) : bytes,
  gives,
})

export const KINDS: ReadonlyMap<string, CustomFieldKind> = new Map([
  ['size', 'number'],
  ['vip', 'boolean'],
  ['birthday', 'date'],
  ['colours', 'multiSelect'],
])

const A = '{"email":"a@x.test"}'
const B = '{"email":"b@x.test"}'
const CONSENT = 'email,emailConsent,emailConsentSource,emailConsentTimestamp'
const said = (at: string): string => `{"email":"a@x.test","consents":["email subscribed till ${at}"]}`

/** Files as people have them, from what they complain about in listmonk, Mautic, Mailchimp, Brevo and others: the issue or page is in the name. */
export const ODD_FILES: readonly OddFile[] = [
  // Encodings
  odd('UTF-8 with a mark, as Excel writes it (knadh/listmonk#65, #46)', '\uFEFFemail,firstName\na@x.test,Zoë\n', [
    '2 {"email":"a@x.test","firstName":"Zoë"}',
  ]),
  odd('UTF-16 with a mark, Unicode text of Excel', utf16le('email\tfirstName\r\na@x.test\tנועה\r\n'), [
    '2 {"email":"a@x.test","firstName":"נועה"}',
  ]),
  odd('UTF-16 of the other order', utf16be('email,firstName\na@x.test,Łukasz\n'), ['2 {"email":"a@x.test","firstName":"Łukasz"}']),
  odd('UTF-16 without a mark', Buffer.from('email\na@x.test\n', 'utf16le'), /^FILE is not utf-8: name what it is by --encoding/),
  odd('UTF-16 without a mark, named', Buffer.from('email\na@x.test\n', 'utf16le'), [`2 ${A}`], { encoding: 'utf-16le' }),
  odd(
    'windows-1252, not named (mautic/mautic#5955, #2666)',
    latin1('email,firstName\na@x.test,Jos\u00e9\n'),
    /^FILE is not utf-8: name what it is by --encoding/,
  ),
  odd('windows-1252, named', latin1('email,firstName\na@x.test,Jos\u00e9\n'), ['2 {"email":"a@x.test","firstName":"José"}'], {
    encoding: 'windows-1252',
  }),
  odd(
    'windows-1255, named',
    Buffer.from([...utf8('email,firstName\na@x.test,'), 0xf0, 0xe5, 0xf2, 0xe4]),
    ['2 {"email":"a@x.test","firstName":"נועה"}'],
    { encoding: 'windows-1255' },
  ),
  odd('an encoding that is none', 'email\na@x.test\n', /^klingon is no encoding/, { encoding: 'klingon' }),
  odd(
    'a mark beside another name: the mark counts',
    '\uFEFFemail,firstName\na@x.test,Zoë\n',
    ['2 {"email":"a@x.test","firstName":"Zoë"}'],
    { encoding: 'windows-1252' },
  ),
  odd(
    'one bad byte far into the file',
    Buffer.concat([utf8(`email,notes\na@x.test,${'x'.repeat(300_000)}\n`), latin1('b@x.test,\u00e9\n')]),
    /^FILE is not utf-8/,
  ),
  odd(
    'a workbook with another name (Mailchimp: file types)',
    Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00]),
    /^FILE is a workbook or an archive/,
  ),
  odd('a binary file', Buffer.from([1, 0, 2, 0]), /^FILE is not utf-8/),
  // Separators and line ends
  odd('semicolons (mettle/sendportal#67, mautic/mautic#5076)', 'email;firstName\na@x.test;A, B\n', [
    '2 {"email":"a@x.test","firstName":"A, B"}',
  ]),
  odd('tabs', 'email\tfirstName\na@x.test\tA;B,C\n', ['2 {"email":"a@x.test","firstName":"A;B,C"}']),
  odd('what Excel says of its separator', 'sep=;\r\nemail;firstName\r\na@x.test;Ann\r\n', ['3 {"email":"a@x.test","firstName":"Ann"}']),
  odd('a separator in a quoted name of a column', '"Full; name, of";email\nAnn;a@x.test\n', ['2 {"email":"a@x.test","firstName":"Ann"}'], {
    map: { 'Full; name, of': 'firstName' },
  }),
  odd('line ends of Windows', 'email\r\na@x.test\r\nb@x.test\r\n', [`2 ${A}`, `3 ${B}`]),
  odd('line ends of old Macs (mautic/mautic#4552)', 'email\ra@x.test\rb@x.test\r', [`2 ${A}`, `3 ${B}`]),
  odd('mixed line ends, and none at the end', 'email\r\na@x.test\nb@x.test', [`2 ${A}`, `3 ${B}`]),
  odd('line breaks in quotes (mautic/mautic#1379)', 'email,notes\r\na@x.test,"one\r\ntwo\r\n\r\nthree"\r\nb@x.test,\r\n', [
    '2 {"email":"a@x.test","notes":"one\\ntwo\\n\\nthree"}',
    `6 ${B}`,
  ]),
  odd('blank lines, and lines of separators', 'email,firstName\n\na@x.test,\n,\n   ,  \nb@x.test,\n\n', [`3 ${A}`, `6 ${B}`]),
  odd('blank lines before the header', '\n\nemail\na@x.test\n', [`4 ${A}`]),
  // Quotes
  odd('quotes inside of quotes', 'email,firstName\na@x.test,"Ann ""the boss"" Lee"\n', [
    '2 {"email":"a@x.test","firstName":"Ann \\"the boss\\" Lee"}',
  ]),
  odd('quotes in a cell without any (DNNCommunity/DNN.FormAndList#72)', 'email,firstName\na@x.test,Ann "Boss" Lee\n', [
    '2 {"email":"a@x.test","firstName":"Ann \\"Boss\\" Lee"}',
  ]),
  odd('blanks before a quote', 'email, firstName\na@x.test, "Lee, Ann"\n', ['2 {"email":"a@x.test","firstName":"Lee, Ann"}']),
  odd(
    'a quote that is never closed (knadh/listmonk#1070)',
    'email,notes\na@x.test,"{""mailchimp"": true}\nb@x.test,\n',
    /^FILE cannot be read from line 2 on: a quote is opened there and never closed/,
  ),
  odd('JSON in a cell (knadh/listmonk#1201)', 'email,customProperties\na@x.test,"{""age"": 42, ""planet"": ""Mars""}"\n', [
    '2 {"email":"a@x.test","customProperties":{"age":42,"planet":"Mars"}}',
  ]),
  odd('what is no JSON in that cell', 'email,customProperties\na@x.test,{age:42}\n', ['2 refused: customProperties must be a JSON object']),
  odd('a comma without quotes moves the cells', 'email,firstName,lastName\na@x.test,Lee, Ann,X\nb@x.test,,\n', [
    '2 refused: it has 4 cells, and the header has 3: a separator in a cell must stand in quotes',
    `3 ${B}`,
  ]),
  odd('cells left out at the end, as Excel does', 'email,firstName,lastName\na@x.test\nb@x.test,\n', [`2 ${A}`, `3 ${B}`]),
  odd('cells too many that are empty', 'email,\na@x.test,,,\n', [`2 ${A}`]),
  odd(
    'a line longer than any',
    `email,notes\na@x.test,${'x'.repeat(1_100_000)}\n`,
    /^FILE cannot be read from line 2 on: a line is longer than 1048576 bytes/,
  ),
  // Columns
  odd('a padded header and padded cells (knadh/listmonk#1070)', 'email      , firstName  \n a@x.test   , Ann    \n', [
    '2 {"email":"a@x.test","firstName":"Ann"}',
  ]),
  odd(
    'a column that is not known',
    'email,Shoe\na@x.test,42\n',
    /^The column "Shoe" is no field of a profile: say what it is by --map, for example \{ "Shoe": null \}/,
  ),
  odd(
    'all columns that are not known are named at once',
    'E-Mail,Vorname,Email,firstName\na@x.test,Ann,b@x.test,Ann\n',
    /^The columns "E-Mail", "Vorname", "Email" are no fields of a profile: say what they are by --map, for example \{ "E-Mail": "email", "Vorname": null, "Email": "email" \}; null leaves a column out\.$/,
  ),
  odd(
    'a column in another spelling is named by its field',
    'E-Mail\na@x.test\n',
    /^The column "E-Mail" is no field of a profile: say what it is by --map, for example \{ "E-Mail": "email" \}/,
  ),
  odd('columns by a map', 'E-Mail,Shoe,Row number\na@x.test,42,zzz\n', ['2 {"email":"a@x.test","customProperties":{"size":42}}'], {
    map: { 'E-Mail': 'email', Shoe: 'customProperties.size', 'Row number': null },
  }),
  odd('two columns of one field', 'email,Mail\na@x.test,b@x.test\n', /^Two columns are "email"/, { map: { Mail: 'email' } }),
  odd('no header', 'a@x.test,Ann\nb@x.test,Bob\n', /^The columns "a@x.test", "Ann" are no fields/),
  odd('no column to find people by', 'firstName\nAnn\n', /^No column is email or phone/),
  odd('a column without a name between others', 'email,,firstName\na@x.test,1,Ann\n', /^The column "" is no field/),
  odd(
    'a column for the prototype of an object',
    'email,customProperties.__proto__\na@x.test,1\n',
    /^The column "customProperties.__proto__" is no field/,
  ),
  odd('an empty file', '', /^FILE is empty: its first line names the columns/),
  odd('a header alone', 'email,firstName\n', []),
  odd(
    'columns that only a list has (justingit/dada-mail#513)',
    'id,createdAt,email,pushConsent\n7,2020-01-01,a@x.test,never_subscribed\n',
    [`2 ${A}`],
  ),
  // Addresses
  odd('addresses in capitals, with marks and blanks around', 'email\n A@X.TEST\u00a0\n\u200eb@x.test\u200f\n', [`2 ${A}`, `3 ${B}`]),
  odd('an apostrophe in an address (mautic/mautic#10411)', "email\ntest.o'neil@x.test\n", ['2 {"email":"test.o\'neil@x.test"}']),
  odd(
    'addresses that are none (Mailchimp: syntax errors)',
    'email\njohn@aol\n@x.test\nAnn <a@x.test>\na@x.test;b@x.test\nmailto:a@x.test\n',
    [...[2, 3, 4, 5].map((line) => `${line} refused: email must be an email`), '6 refused: email must be an email'],
  ),
  odd('neither an address nor a number', 'email,phone,firstName\n,,Ann\n', ['2 refused: it has neither an email nor a phone']),
  odd(
    'numbers as people write them',
    'phone\n050-111 2233\n(050) 1112233\n00972501112233\n"+972 (0)50-111-2233"\n\u2066050.111.2233\u2069\n\'+972501112233\n',
    [2, 3, 4, 5, 6, 7].map((line) => `${line} {"phone":"+972501112233"}`),
  ),
  odd('a number with the fraction of a floating-point one', 'phone\n972501112233.0\n', ['2 {"phone":"+972501112233"}']),
  odd('a number that Excel has shortened (Brevo: phone numbers)', 'phone\n9.72501E+11\n"9,72501E+11"\n', [
    '2 refused: a spreadsheet has shortened its phone: write the column as text',
    '3 refused: a spreadsheet has shortened its phone: write the column as text',
  ]),
  odd('a number whose zero Excel took', 'email,phone\na@x.test,501112233\n', [
    '2 refused: its phone is no number of IL, and none with + and a calling code',
  ]),
  // Values
  odd('tags', 'email,tags\na@x.test,vip| new |R&D||\n', ['2 {"email":"a@x.test","tags":["vip","new","R&D"]}']),
  odd('a tag with a bar in it', 'email,tags\na@x.test,a\\|b|c\n', ['2 {"email":"a@x.test","tags":["a|b","c"]}']),
  odd(
    'custom properties by their kinds',
    'email,customProperties.size,customProperties.vip,customProperties.colours,customProperties.zip\na@x.test,42.5,TRUE,red|blue,01234\n',
    ['2 {"email":"a@x.test","customProperties":{"size":42.5,"vip":true,"colours":["red","blue"],"zip":"01234"}}'],
  ),
  odd(
    'values that are not of their kind',
    'email,customProperties.size,customProperties.vip,customProperties.birthday\na@x.test,large,,\na@x.test,,maybe,\na@x.test,,,2026-02-30\n',
    [
      '2 refused: customProperties.size must be a number',
      '3 refused: customProperties.vip must be true or false',
      '4 refused: customProperties.birthday must be a valid ISO 8601 date string',
    ],
  ),
  odd('a formula is a text', 'email,firstName\na@x.test,=1+1\nb@x.test,"\'=HYPERLINK(""x"")"\n', [
    '2 {"email":"a@x.test","firstName":"=1+1"}',
    '3 {"email":"b@x.test","firstName":"=HYPERLINK(\\"x\\")"}',
  ]),
  odd('a name that begins with an apostrophe', "email,lastName\na@x.test,'t Hooft\n", ['2 {"email":"a@x.test","lastName":"\'t Hooft"}']),
  odd('a name that is too long', `email,firstName\na@x.test,${'x'.repeat(129)}\n`, [
    '2 refused: firstName must be shorter than or equal to 128 characters',
  ]),
  // Consent
  odd('a consent with source and time', `${CONSENT}\na@x.test,subscribed,till,2024-05-01T10:00:00+02:00\n`, [
    `2 ${said('2024-05-01T08:00:00.000Z')}`,
  ]),
  odd('times of databases and dates', `${CONSENT}\na@x.test,Subscribed,till,2024-05-01 10:00:00\na@x.test,subscribed,till,2024-05-01\n`, [
    `2 ${said('2024-05-01T10:00:00.000Z')}`,
    `3 ${said('2024-05-01T00:00:00.000Z')}`,
  ]),
  odd(
    'a consent without all three',
    `${CONSENT}\na@x.test,subscribed,,\na@x.test,subscribed,till,\na@x.test,,till,2024-05-01\n`,
    [2, 3, 4].map((line) => `${line} refused: emailConsent, emailConsentSource and emailConsentTimestamp must be given together`),
  ),
  odd('a consent of the future (Mailchimp: OPTIN_TIME)', `${CONSENT}\na@x.test,subscribed,till,2999-01-01\n`, [
    '2 refused: emailConsentTimestamp must not be in the future',
  ]),
  odd(
    'times that are none',
    `${CONSENT}\na@x.test,subscribed,till,01/02/2024\na@x.test,subscribed,till,0000-00-00 00:00:00\na@x.test,subscribed,till,2024-02-30\n`,
    [2, 3, 4].map((line) => `${line} refused: emailConsentTimestamp must be a time like 2026-11-21T09:00:00Z`),
  ),
  odd('a status that is none', `${CONSENT}\na@x.test,yes,till,2024-05-01\n`, [
    '2 refused: emailConsent must be one of the following values: subscribed, unsubscribed, never_subscribed, cleaned',
  ]),
  odd('nothing was ever said', `${CONSENT}\na@x.test,never_subscribed,,\n`, [`2 ${A}`]),
  // NDJSON
  odd(
    'objects, one a line',
    '{"email":"a@x.test","tags":["x"],"customProperties":{"n":1,"t":"1"}}\n\n{"phone":972501112233,"customProperties.size":"7"}\n',
    ['1 {"email":"a@x.test","tags":["x"],"customProperties":{"n":1,"t":"1"}}', '3 {"phone":"+972501112233","customProperties":{"size":7}}'],
  ),
  odd(
    'objects with a mark and line ends of Windows',
    '\uFEFF{"email":"a@x.test","firstName":null}\r\n{"email":"b@x.test","lastName":""}\r\n',
    [`1 ${A}`, `2 ${B}`],
  ),
  odd('lines that are no objects', '{"email":"a@x.test"}\n{"email":\n[1]\n"x"\n', [
    `1 ${A}`,
    '2 refused: it is no JSON',
    '3 refused: it is no JSON object',
    '4 refused: it is no JSON object',
  ]),
  odd(
    'a name that is not known, on any line',
    '{"email":"a@x.test"}\n{"email":"b@x.test","shoe":1}\n',
    /^Line 2: The column "shoe" is no field/,
  ),
  odd('one JSON array', '[{"email":"a@x.test"}]\n', /^FILE is one JSON array/),
  odd('values of other types', '{"email":"a@x.test","firstName":7}\n{"email":["a@x.test"]}\n{"email":"a@x.test","tags":7}\n', [
    '1 refused: firstName must be a string',
    '2 refused: email must be a string',
    '3 refused: tags must be an array',
  ]),
  odd('characters that nothing can store', '{"email":"a@x.test","firstName":"a\\u0000b"}\n', ['1 refused: it contains invalid characters']),
]
