import { expect, it } from 'vitest'
import { isMachineAgent } from '../../src/links/machine-agent.ts'

it.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36',
  'Mimecast Link Scanner',
  'Barracuda Sentinel (EE)',
  'facebookexternalhit/1.1',
  'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; WOW64) BingPreview/1.0b',
])('%s is a machine', (agent) => {
  expect(isMachineAgent(agent)).toBe(true)
})

it.each([
  undefined,
  '',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Linux; Android 8.1.0; CUBOT X18 Plus) AppleWebKit/537.36 Mobile Safari/537.36',
  'curl/8.5.0',
  'node',
])('%s counts as a person', (agent) => {
  expect(isMachineAgent(agent)).toBe(false)
})

it('only the beginning of an endless name is searched', () => {
  expect(isMachineAgent(`${'x'.repeat(1_000_000)}Googlebot/2.1`)).toBe(false)
})
