import { describe, expect, it } from 'vitest'
import { mergeValues } from '../../src/merge/merge-values.ts'
import { renderPush } from '../../src/push/render-push.ts'

const refused = (code: string) => expect.objectContaining({ code })
const template = {
  title: 'Hi {{firstName|you}}',
  body: 'Order {{order}}\nis ready',
  url: 'https://shop.example/{{order}}',
  icon: 'https://shop.example/{{icon}}.png',
}
const render = (fields: Readonly<Record<string, string>>, changed: Partial<typeof template> = {}) =>
  renderPush({ ...template, ...changed }, mergeValues(null, fields))

describe('a rendered push', () => {
  it('has its merge tags resolved in all four, as plain text', () => {
    expect(render({ firstName: '<b>Ada</b>', order: '7', icon: 'ready' })).toEqual({
      title: 'Hi <b>Ada</b>',
      body: 'Order 7\nis ready',
      url: 'https://shop.example/7',
      icon: 'https://shop.example/ready.png',
    })
  })

  it('has no address where the template has none, or nothing is left of it', () => {
    expect(renderPush({ ...template, url: null, icon: '{{none}}' }, mergeValues(null))).toMatchObject({ url: null, icon: null })
  })

  it('has a title of one line', () => {
    expect(render({ firstName: 'A\nda' }).title).toBe('Hi A da')
  })

  it.each(['javascript:alert(1)', '/orders', 'data:text/html,x', 'https://', 'ftp://shop.example', ' {{x}}'])(
    'is refused with the address %j',
    (url) => {
      expect(() => render({ x: 'shop.example' }, { url })).toThrow(refused('template_render_failed'))
      expect(() => render({ x: 'shop.example' }, { icon: url })).toThrow(refused('template_render_failed'))
    },
  )

  it('is refused when nothing is left of title or body', () => {
    expect(() => render({}, { title: '{{none}}' })).toThrow(refused('content_empty'))
    expect(() => render({}, { body: ' {{none}} ' })).toThrow(refused('content_empty'))
  })

  it('is refused when a value makes it too long', () => {
    expect(() => render({ firstName: 'x'.repeat(256) })).toThrow(refused('template_render_failed'))
    expect(() => render({ order: 'x'.repeat(1_001) }, { url: 'https://shop.example' })).toThrow(refused('template_render_failed'))
    expect(() => render({ icon: 'x'.repeat(2_049) })).toThrow(refused('template_render_failed'))
  })
})
