type NamedPerson = Readonly<{ firstName: string | null; lastName: string | null; email: string | null; phone: string | null }>

/** By what a person is called here; null where nothing is known. */
export function personName({ firstName, lastName, email, phone }: NamedPerson): string | null {
  const name = [firstName, lastName].map((part) => part?.trim() ?? '').filter((part) => part !== '')
  return name.length > 0 ? name.join(' ') : (email ?? phone)
}
