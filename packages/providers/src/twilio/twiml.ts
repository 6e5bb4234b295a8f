import { spokenMessage, type VoiceCall } from '../voice/port.ts'

/** `<Say>` wants a region; this is the one of a language that comes without. */
const REGIONS: Readonly<Record<string, string>> = {
  ar: 'ar-XA',
  da: 'da-DK',
  de: 'de-DE',
  en: 'en-US',
  es: 'es-ES',
  fr: 'fr-FR',
  he: 'he-IL',
  it: 'it-IT',
  iw: 'he-IL',
  nl: 'nl-NL',
  pl: 'pl-PL',
  pt: 'pt-BR',
  ru: 'ru-RU',
  sv: 'sv-SE',
  tr: 'tr-TR',
  uk: 'uk-UA',
}
const FALLBACK = 'en-US'

/** The language of `<Say>` for a locale (`he`, `en_GB`); English where the locale is none that is known. */
export function sayLanguage(locale: string): string {
  const [language = '', region] = locale.split(/[-_]/)
  const known = REGIONS[language.toLowerCase()]
  if (known === undefined) return FALLBACK
  return region !== undefined && /^[a-z]{2}$/i.test(region) && !/^iw$/i.test(language)
    ? `${language.toLowerCase()}-${region.toUpperCase()}`
    : known
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** What XML 1.0 cannot hold. */
const UNWRITABLE = /[\p{Cs}\ufffe\uffff]|(?![\t\n])\p{Cc}/gu

const escaped = (text: string): string => text.replaceAll(UNWRITABLE, ' ').replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '')

/** What a call says: the message with its code digit by digit, twice. */
export function twiml(call: VoiceCall): string {
  const say = `<Say language="${sayLanguage(call.locale)}">${escaped(spokenMessage(call, ', '))}</Say>`
  return `<?xml version="1.0" encoding="UTF-8"?><Response><Pause length="1"/>${say}<Pause length="1"/>${say}</Response>`
}
