import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { curlOf } from '../../src/screens/webhook/curl.ts'

it('keeps every character of what is sent, whatever a shell makes of it', () => {
  const body = `{"name":"O'Brien $(id) \`id\` \\\\ !! \u202e","line":"a\\nb"}`
  const command = curlOf({ url: 'https://shop.example/hook?a=1&b=2', headers: { 'x-sender-event': "it's; rm -rf" }, body })
  const words = execFileSync('/bin/sh', ['-c', `curl() { for one; do printf '%s\\0' "$one"; done; }; ${command}`])
    .toString()
    .split('\0')
  expect(words).toEqual(['https://shop.example/hook?a=1&b=2', '-H', "x-sender-event: it's; rm -rf", '--data-binary', body, ''])
})
