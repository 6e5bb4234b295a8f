/** The language that most people of a country (ISO 3166 alpha-2) speak, by CLDR's likely subtags; English where that knows none. */
export function spokenLanguage(country: string): string {
  if (!/^[A-Z]{2}$/i.test(country)) return 'en'
  const { language } = new Intl.Locale('und', { region: country }).maximize()
  return language === 'und' ? 'en' : language
}
