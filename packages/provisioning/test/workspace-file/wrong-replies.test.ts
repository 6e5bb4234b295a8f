import { expect, it } from 'vitest'
import { parseWorkspaceFile } from '../../src/workspace-file/parse.ts'

const parse = (rest: string) => parseWorkspaceFile(`workspace: { slug: acme, name: Acme }\n${rest}`)

it.each([
  ['smsReplies: { stop: " Stop" }', 'smsReplies.stop: "Stop" is a keyword itself, which the other side may answer'],
  ['smsReplies: { help: "  " }', /^smsReplies\.help must match/],
  [`smsReplies: { start: ${'x'.repeat(1_601)} }`, /^smsReplies\.start must match/],
  ['smsReplies: { hello: Hi }', 'smsReplies.hello is not a field of the workspace file'],
])('%s is a mistake', (section, sentence) => {
  expect(() => parse(section)).toThrow(sentence)
})

it('an answer may say how to stop', () => {
  expect(parse('smsReplies: { help: "Text STOP to get no more." }').smsReplies).toEqual({ help: 'Text STOP to get no more.' })
})
