import { expect, it } from 'vitest'
import { agentName } from '../../src/screens/me/agent-name.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, 'Chrome, Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`, 'Edge, Windows'],
  [`Mozilla/5.0 (Linux; Android 16) ${WEBKIT} SamsungBrowser/30.0 Chrome/150.0.0.0 Mobile Safari/537.36`, 'Samsung Internet, Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox, macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1', 'Safari, iOS'],
  ['node', 'node'],
  ['', ''],
  ['x'.repeat(500), `${'x'.repeat(60)}…`],
])('%s is %s', (agent, name) => {
  expect(agentName(agent)).toBe(name)
})
