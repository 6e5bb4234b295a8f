type Sign = readonly [RegExp, string]

/** Browsers name those that they resemble, so the particular ones come first. */
const BROWSERS: readonly Sign[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly Sign[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const SHOWN = 60

/** What people call the browser and the system that call themselves so; what is neither stands as it came, cut. */
export function agentName(agent: string): string {
  const named = [BROWSERS, SYSTEMS].flatMap((signs) => signs.find(([sign]) => sign.test(agent))?.[1] ?? [])
  if (named.length > 0) return named.join(', ')
  return agent.length <= SHOWN ? agent : `${agent.slice(0, SHOWN)}…`
}
