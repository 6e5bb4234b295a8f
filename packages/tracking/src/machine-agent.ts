/**
 * Programs that fetch what is in a mail before, or instead of, its recipient (M6): mail security, link previews of chats,
 * crawlers. Gmail's image proxy and Outlook are none: they load a picture when somebody looks at it.
 */
const KNOWN = [
  'barracuda',
  'proofpoint',
  'mimecast',
  'messagelabs',
  'symantec',
  'trendmicro',
  'trend micro',
  'sophos',
  'fortinet',
  'fortiguard',
  'cloudmark',
  'ironport',
  'forcepoint',
  'zscaler',
  'checkpoint',
  'virustotal',
  'urlscan',
  'safebrowsing',
  'safelinks',
  'microsoft office existence discovery',
  'bitdefender',
  'kaspersky',
  'mailscanner',
  'link-?check',
  'linkscanner',
  'url ?preview',
  'bingpreview',
  'slackbot',
  'slack-imgproxy',
  'facebookexternalhit',
  'whatsapp/',
  'telegrambot',
  'skypeuripreview',
  'headlesschrome',
  'phantomjs',
  // CUBOT makes telephones.
  '(?<!cu)bot\\b',
  'crawler',
  'spider',
]
const MACHINE = new RegExp(KNOWN.join('|'), 'i')

/** Longer ones are read so far. */
const LOOKED_AT = 512

/** Whether a `User-Agent` is that of a known scanner. Whoever says nothing, or something unknown, is taken for a person. */
export const isMachineAgent = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && MACHINE.test(userAgent.slice(0, LOOKED_AT))
