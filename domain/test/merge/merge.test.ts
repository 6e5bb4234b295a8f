import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from '../../src/merge/escape.ts'
import { mergeFields, mergeParts } from '../../src/merge/merge-tags.ts'
import { isReservedMergeKey, mergeValues } from '../../src/merge/merge-values.ts'
import { renderLine, renderText, singleLine } from '../../src/merge/render.ts'

const refused = (code: string) => expect.objectContaining({ code })

const ada = {
  firstName: 'Ada',
  lastName: null,
  email: 'ada@example.com',
  phone: null,
  customProperties: { size: 'S', 'gro\u0308\u00dfe': 'L', n: 0, no: false, list: [1] },
}
const room = { maxLength: 1_000 }
const text = (template: string, fields = {}) => renderText(template, mergeValues(ada, fields), room)

describe('a merge tag', () => {
  it.each([
    ['{{firstName}}', 'Ada'],
    ['{{ firstName }}', 'Ada'],
    ['{{firstName|there}}', 'Ada'],
    ['{{lastName}}', ''],
    ['{{lastName|there}}', 'there'],
    ['{{ lastName |  dear friend  }}', 'dear friend'],
    ['{{lastName|a|b}}', 'a|b'],
    ['{{custom.gr\u00f6\u00dfe}} {{custom.gro\u0308\u00dfe}}', 'L L'],
    ['{{custom.size}}-{{custom.n}}-{{custom.no}}', 'S-0-false'],
    ['{{custom.list}}{{custom.list|none}}', 'none'],
    ['{{custom.unknown|?}}', '?'],
    ['{{firstname}}', ''],
    ['{{constructor}}{{custom.__proto__}}{{toString|x}}', 'x'],
    ['{{{firstName}}}', '{Ada}'],
    ['{{ {{firstName}} }}', '{{ Ada }}'],
  ])('%s gives %j', (template, result) => {
    expect(text(template)).toBe(result)
  })

  it.each(['{{}}', '{{ }}', '{{|x}}', '{firstName}', '{{first\nName}}', '{{firstName', 'firstName}}', '{{<b>}}', `{{${'k'.repeat(256)}}}`])(
    '%j is none, and stays as it is',
    (template) => {
      expect(text(template)).toBe(template)
    },
  )

  it('takes the field of the request before the contact, unless that is null', () => {
    expect(text('{{firstName}}', { firstName: 'Countess' })).toBe('Countess')
    expect(text('{{firstName}}', { firstName: null })).toBe('Ada')
    expect(text('{{firstName|x}}', { firstName: '' })).toBe('x')
    expect(text('{{custom.size}}', { 'custom.size': 'L' })).toBe('L')
    expect(text('{{total}} {{paid}}', { total: 12.5, paid: true })).toBe('12.5 true')
  })

  it('drops objects and arrays, and then has its fallback', () => {
    expect(text('[{{firstName}}]', { firstName: { a: 1 } })).toBe('[]')
    expect(text('[{{x|y}}]', { x: [1] })).toBe('[y]')
  })

  it('works without a contact', () => {
    expect(renderText('{{firstName|you}}{{custom.size}}', mergeValues(null, {}), room)).toBe('you')
  })

  it('makes the address to unsubscribe only where it is asked for, and takes the field of the request before it', () => {
    let made = 0
    const links = { unsubscribeUrl: () => `https://mail.example/u?t=${++made}` }
    const rendered = (template: string, fields = {}) => renderText(template, mergeValues(ada, fields, links), room)
    expect(rendered('{{firstName}}')).toBe('Ada')
    expect(made).toBe(0)
    expect(rendered('{{unsubscribeUrl}}')).toBe('https://mail.example/u?t=1')
    expect(rendered('{{unsubscribeUrl}}', { unsubscribeUrl: 'https://own.example' })).toBe('https://own.example')
    expect(text('{{unsubscribeUrl|none}}')).toBe('none')
  })

  it('never resolves what a value brings along', () => {
    expect(text('{{a}}', { a: '{{firstName}}' })).toBe('{{firstName}}')
  })

  it('leaves any text without braces alone', () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        const plain = any.replaceAll('{{', '')
        expect(text(plain)).toBe(plain)
      }),
    )
  })

  it('is found in no time, however odd the text is', () => {
    for (const odd of ['}}', '{{', '{{a', '{{|', '{{ }}', '{']) {
      const template = odd.repeat(200_000)
      expect(mergeParts(template).filter((part) => typeof part !== 'string')).toEqual([])
    }
  })
})

describe('the fields of a template', () => {
  it('are the keys of all its texts, sorted, each once', () => {
    expect(mergeFields(['{{b|x}} {{ a }}', '', '{{b}}{{custom.z}}', '{{}}'].flatMap(mergeParts))).toEqual(['a', 'b', 'custom.z'])
  })
})

describe('a rendered text', () => {
  it('has its values as they are', () => {
    expect(renderText('{{x}}', mergeValues(ada, { x: `<b>&"'</b>` }), room)).toBe(`<b>&"'</b>`)
  })

  it('stays on one line where it is a header', () => {
    expect(renderLine(' Hi {{x}}\n', mergeValues(null, { x: 'a\r\nBcc: b@c.de\0' }), room)).toBe('Hi a Bcc: b@c.de')
    expect(singleLine('a\u2028b\u0085c')).toBe('a b c')
  })

  it('never grows beyond its bound', () => {
    const values = mergeValues(null, { x: 'x'.repeat(600) })
    expect(() => renderText('{{x}}{{x}}{{x}}', values, room)).toThrow(refused('template_render_failed'))
  })

  it('holds no markup that a value brought', () => {
    fc.assert(fc.property(fc.string(), (value) => void expect(escapeHtml(value)).not.toMatch(/[<>"']/)))
  })
})

it('names and compliance cannot be shadowed by events', () => {
  expect(['firstName', 'unsubscribeUrl', 'email'].every(isReservedMergeKey)).toBe(true)
  expect(isReservedMergeKey('total')).toBe(false)
})
