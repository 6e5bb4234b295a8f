/**
 * Country calling codes (ITU-T E.164), and what becomes of the leading zero of a number written for use inside the country.
 * From the metadata of libphonenumber, which a test compares; importing the library itself would cost 17 MB of memory at start.
 */
const CODES =
  'AC247 AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AX358 AZ994 BA387 BB1 BD880 BE32 BF226 BG359 BH973 BI257 ' +
  'BJ229 BL590 BM1 BN673 BO591 BQ599 BR55 BS1 BT975 BW267 BY375 BZ501 CA1 CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56 CM237 CN86 CO57 ' +
  'CR506 CU53 CV238 CW599 CX61 CY357 CZ420 DE49 DJ253 DK45 DM1 DO1 DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500 FM691 ' +
  'FO298 FR33 GA241 GB44 GD1 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502 GU1 GW245 GY592 HK852 HN504 HR385 ' +
  'HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964 IR98 IS354 IT39 JE44 JM1 JO962 JP81 KE254 KG996 KH855 KI686 KM269 KN1 KP850 KR82 ' +
  'KW965 KY1 KZ7 LA856 LB961 LC1 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212 MC377 MD373 ME382 MF590 MG261 MH692 MK389 ML223 ' +
  'MM95 MN976 MO853 MP1 MQ596 MR222 MS1 MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NC687 NE227 NF672 NG234 NI505 NL31 NO47 NP977 ' +
  'NR674 NU683 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92 PL48 PM508 PR1 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250 ' +
  'SA966 SB677 SC248 SD249 SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SX1 SY963 SZ268 TA290 TC1 ' +
  'TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1 TV688 TW886 TZ255 UA380 UG256 US1 UY598 UZ998 VA39 VC1 VE58 VG1 VI1 ' +
  'VN84 VU678 WF681 WS685 XK383 YE967 YT262 ZA27 ZM260 ZW263'

/** The zero is dialled inside the country only, and dropped from the international number. */
const TRUNK_ZERO =
  'AE AF AL AM AR AT AU AX AZ BA BD BE BG BL BO BR BY CC CD CH CN CO CU CX DE DZ EC EG EH ER ET FI FR GB GE GF GG GH GP HR ID IE IL IM IN ' +
  'IQ IR JE JO JP KE KG KH KI KP KR LA LB LI LK LR LT LY MA MC MD ME MF MG MK MM MN MQ MW MY NA NG NL NP NZ PE PH PK PM PS PY RE RO RS ' +
  'RW SA SD SE SI SK SL SO SS SY TH TR TW TZ UA UG UY VE VN XK YE YT ZA ZM ZW'

/** The zero belongs to the number and stays in it. */
const ZERO_STAYS = 'AC BF BJ BW BZ CG CI FJ GA IT MO NC NE NO PA QA SJ SM SZ TJ TO VA'

/** `trunk` is what to drop from the front of a national number; null where no national number begins with a zero. */
type Numbering = Readonly<{ callingCode: string; trunk: string | null }>

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const table: ReadonlyMap<string, Numbering> = (() => {
  const trunkZero = wordsOf(TRUNK_ZERO)
  const zeroStays = wordsOf(ZERO_STAYS)
  const trunkOf = (country: string): string | null => {
    if (country === 'HU') return '06'
    return trunkZero.has(country) ? '0' : zeroStays.has(country) ? '' : null
  }
  return new Map(
    CODES.split(' ').map((entry) => {
      const country = entry.slice(0, 2)
      return [country, { callingCode: entry.slice(2), trunk: trunkOf(country) }]
    }),
  )
})()

/** The way in which numbers are written in a country (ISO 3166 alpha-2, upper case); undefined for one without a numbering plan. */
export function numberingOf(country: string): Numbering | undefined {
  return table.get(country)
}

/** Whether a local number can be read in it. */
export function isCountry(country: string): boolean {
  return table.has(country)
}

const byCallingCode: ReadonlyMap<string, string | null> = new Map([...table.values()].map(({ callingCode, trunk }) => [callingCode, trunk]))

/**
 * The calling code that the digits begin with, and what is dropped behind it where it was written: '' in countries whose numbers keep their zero, null
 * where no number begins with one. Null where no code fits: none is the beginning of another (ITU-T E.164), and countries that share one
 * do the same with a zero.
 */
export function zeroAfter(digits: string): Readonly<{ code: string; drops: string | null }> | null {
  for (const length of [1, 2, 3]) {
    const code = digits.slice(0, length)
    const drops = byCallingCode.get(code)
    if (drops !== undefined) return { code, drops }
  }
  return null
}

/** The calling codes behind which a number with these digits, as it is dialled inside a country, may stand. */
export function codesDialling(national: string): readonly string[] {
  return [...byCallingCode].flatMap(([code, drops]) => (drops !== null && national.startsWith(drops) ? [code] : []))
}
