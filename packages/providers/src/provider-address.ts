/**
 * How addresses of one kind are written. `what` begins the sentences; `form` is an example; `options` are what may stand behind the `?`; with `hasPath`
 * something may stand between the host and that.
 */
type AddressForm = Readonly<{ what: string; form: string; options: readonly string[]; hasPath?: boolean }>

/**
 * An address that has a host, and nothing that its form does not have: an option that is misspelled would else be left out without a word, and a `/` in
 * a password makes the user the host. Throws one sentence, which has nothing of the address.
 */
export function addressIn(address: string, { what, form, options, hasPath = false }: AddressForm): URL {
  const refuse = (sentence: string): never => {
    throw new Error(`${what} ${sentence}`)
  }
  const url = URL.canParse(address) ? new URL(address) : refuse(`is no address: it is ${form}.`)
  if (url.hostname.includes(','))
    refuse('has a comma in its host: one of a user or a password is written as %2C, and each provider of a list begins as the first does.')
  if (url.hostname === '') refuse(`names no host: it is ${form}.`)
  if (url.hash !== '' || (!hasPath && !/^\/?$/.test(url.pathname)))
    refuse(`has more behind its host than ${form}: in a user or a password / is written as %2F, ? as %3F and # as %23.`)
  const said = [...url.searchParams.keys()]
  if (said.some((option) => !options.includes(option))) refuse(`has an unknown setting: it takes ${listed(options)}.`)
  if (new Set(said).size < said.length) refuse('has one setting twice.')
  return url
}

const listed = (options: readonly string[]): string => `${options.slice(0, -1).join(', ')} and ${options.at(-1)}`

/** The host, as a socket takes it: an IPv6 address without its brackets. */
export function hostIn({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** A part of an address as it is meant. Throws one sentence where a percent stands for nothing. */
export function decodedPart(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`${what} is not percent-encoded: a percent of a user or a password is written as %25.`)
  }
}

/** Whether the certificate of the other side is checked: not where the address has `verify=off`. Throws one sentence for any other word. */
export function checksCertificate(url: URL, what: string): boolean {
  const verify = url.searchParams.get('verify')
  if (verify === null || verify === 'off') return verify === null
  throw new Error(`${what} has an unknown verify: it is off, or is left out.`)
}

type Tls = 'required' | 'optional' | 'off'

/** `isExposed`: without TLS a password would go to another machine in clear. */
type TlsWanted = Readonly<{ what: string; isExposed: boolean }>

/** Whether TLS is begun where it is not there from the first byte: always where a password would go in clear, unless the address lifts that. */
export function tlsIn(url: URL, { what, isExposed }: TlsWanted): Tls {
  const tls = url.searchParams.get('tls') ?? (isExposed ? 'required' : 'optional')
  if (tls !== 'required' && tls !== 'optional' && tls !== 'off')
    throw new Error(`${what} has an unknown tls: it is required, optional or off.`)
  if (isExposed && tls === 'off')
    throw new Error(`${what} would send its password in clear: leave tls=off away, or say tls=optional where that is meant.`)
  return tls
}
