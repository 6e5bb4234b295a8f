/**
 * Programs that fetch the links and pictures of a mail before its recipient, or instead (M6): mail security, link previews of chats, crawlers.
 * Gmail's image proxy and Outlook are not among them: they load a picture when a person looks at it.
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
  // CUBOT is a brand of telephones.
  '(?<!cu)bot\\b',
  'crawler',
  'spider',
]
const MACHINE = new RegExp(KNOWN.join('|'), 'i')

/** The length of a header that is searched. */
const MAX_SEARCHED = 512

/** Whether a `User-Agent` is that of a known scanner. A missing or unknown one counts as a person. */
export function isMachineAgent(userAgent: string | undefined): boolean {
  return userAgent !== undefined && MACHINE.test(userAgent.slice(0, MAX_SEARCHED))
}
