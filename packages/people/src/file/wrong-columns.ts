/** The columns of a file, or what the command says of them, cannot be used: wrong usage, of which nothing was read further. */
export class WrongColumns extends Error {
  override readonly name = 'WrongColumns'
}
