import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asciiDomain, domainName, normalizeDomain } from '../src/domain-name.ts'

describe('a domain name', () => {
  it.each([
    ['example.com', 'example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com', 'example.com'],
    ['ｇmail.com', 'gmail.com', 'gmail.com'],
    ['𝕘mail.com', 'gmail.com', 'gmail.com'],
    ['gmail。com', 'gmail.com', 'gmail.com'],
    ['gmail．com', 'gmail.com', 'gmail.com'],
    ['g\u00admail.com', 'gmail.com', 'gmail.com'],
    ['gmail.com\u200b', 'gmail.com', 'gmail.com'],
    ['\u212aiosk.example', 'kiosk.example', 'kiosk.example'],
    ['München.de', 'münchen.de', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'münchen.de', 'xn--mnchen-3ya.de'],
    ['XN--MNCHEN-3ya.de', 'münchen.de', 'xn--mnchen-3ya.de'],
    ['faß.de', 'faß.de', 'xn--fa-hia.de'],
    ['FAẞ.de', 'faß.de', 'xn--fa-hia.de'],
    ['fass.de', 'fass.de', 'fass.de'],
    ['ΝΙΚΟΣ.gr', 'νικοσ.gr', 'xn--uxachku.gr'],
    ['νικος.gr', 'νικος.gr', 'xn--uxachkp.gr'],
    ['İstanbul.com', 'i̇stanbul.com', 'xn--istanbul-o0e.com'],
    ['ıstanbul.com', 'ıstanbul.com', 'xn--stanbul-qfb.com'],
    ['क्\u200dष.com', 'क्\u200dष.com', 'xn--11b2ezcw70k.com'],
    ['דואר.קום', 'דואר.קום', 'xn--4dbfg1f.xn--9dbq2a'],
    ['r3---sn.example.com', 'r3---sn.example.com', 'r3---sn.example.com'],
    ['i❤.ws', 'i❤.ws', 'xn--i-7iq.ws'],
  ])('%s is %s, and %s in the DNS', (raw, unicode, ascii) => {
    expect(domainName(raw)).toEqual({ unicode, ascii })
    expect(domainName(unicode)).toEqual({ unicode, ascii })
    expect(domainName(ascii)).toEqual({ unicode, ascii })
  })

  it.each([
    '',
    '.',
    'de',
    'b.de.',
    'b.de。',
    '.b.de',
    'b..de',
    'b。。de',
    'a_b.de',
    'a b.de',
    'xn--a.de',
    'xn--.de',
    'xn--zzzzzz.de',
    'xn--fuss-.de',
    'xn--a-ecp.ru',
    'xn--xn---epa.de',
    '-ä.de',
    'ä-.de',
    'a\u200db.com',
    'a\u200cb.com',
    'a\u202eb.com',
    'אa.com',
    '1א.com',
    '\u0300a.de',
    '\u0378.de',
    '\ud800.de',
    'ä\udc00.de',
    '%61.de',
    'a%2fb.de',
    '1.2.3.4',
    '１.2.3.4',
    '[1.2.3.4]',
    '[::1]',
    '0x7f.1',
    'a:80.de',
    'ä/b.de',
    'ä?b.de',
    'ä#b.de',
    'ä@b.de',
    'ä＠b.de',
    'ä＜b.de',
    'a℀b.de',
    'ä\u0000.de',
    'ä\r\n.de',
    'ä\u2028.de',
    `${'ä'.repeat(64)}.de`,
    `${'ä.'.repeat(127)}de`,
    `${'ä'.repeat(100_000)}.de`,
    `${'\u00ad'.repeat(100_000)}ä.de`,
    // Domains, if they were read; the cost of such labels is quadratic, and a request may have a hundred addresses.
    `${'\u00ad'.repeat(252)}ä.de`,
    `${'\u00ad'.repeat(252)}ä。de`,
  ])('%j is none', (raw) => {
    expect(domainName(raw)).toBeNull()
  })

  it('has at most 63 bytes in a label and 253 in all, as the DNS counts them', () => {
    expect(domainName(`${'ä'.repeat(57)}.de`)).not.toBeNull()
    expect(domainName(`${'d'.repeat(63)}.de`)).not.toBeNull()
    expect(domainName(`${'ä'.repeat(63)}.de`)).toBeNull()
    // 63 characters of four units each, mapped to as many letters.
    expect(domainName(`${'𝕘'.repeat(63)}.de`)?.ascii).toBe(`${'g'.repeat(63)}.de`)
  })

  it('has one form, whatever it is made of', () => {
    const units = [...'abzäßẞςΣσİıſK.。．-xn٠1אبक्‍‌­​️ｇ𝕘\u0308\u0301ΐﬃ☃💩_%@'] as const
    const text = fc.oneof(fc.string({ unit: fc.constantFrom(...units), maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }))
    fc.assert(
      fc.property(text, fc.constantFrom('.de', '.xn--p1ai', '.рф', ''), (front, end) => {
        const raw = front + end
        const stored = normalizeDomain(raw)
        expect(normalizeDomain(stored)).toBe(stored)
        expect(asciiDomain(stored)).toBe(asciiDomain(raw))
        const name = domainName(raw)
        if (name === null) return
        expect(name.ascii).toMatch(/^[a-z0-9.-]+$/)
        expect(domainName(name.ascii)).toEqual(name)
        for (const spelling of [raw.normalize('NFC'), raw.normalize('NFD'), name.ascii.toUpperCase()]) {
          expect(domainName(spelling)?.ascii).toBe(name.ascii)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
