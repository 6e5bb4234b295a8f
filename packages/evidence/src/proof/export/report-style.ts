/** The style of `report.html`. Directions are those of the text, not left and right; everything fits the width of a page on paper. */
export const REPORT_STYLE = `
  :root { color-scheme: light }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 0; color: #1c2330; background: #fff }
  main { margin: 2rem auto; max-width: 64rem; padding: 0 1rem }
  h1, h2 { line-height: 1.25 }
  h2 { margin-block: 2.5rem .5rem; overflow-wrap: anywhere }
  aside { background: #f4f5f8; border-inline-start: .3rem solid #4a5875; padding: .2rem 1rem }
  aside h2 { font-size: 1.1rem; margin-block-start: .8rem }
  dl { margin: 0 }
  dl div { display: flex; gap: .5rem }
  dt { color: #4a5875; flex: none; min-width: 5.5rem }
  dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
  .table { margin-block: 1rem; overflow-x: auto }
  .table:focus-visible { outline: 2px solid #1d4ed8; outline-offset: 2px }
  table { border-collapse: collapse; table-layout: fixed; width: 100%; min-width: 40rem }
  caption { font-weight: 600; text-align: start; padding-block: .4rem }
  th, td { border-block-end: 1px solid #c3c9d4; padding: .35rem .6rem; text-align: start; vertical-align: top; overflow-wrap: anywhere; font-weight: inherit }
  thead th { font-weight: 600 }
  .of-5 th:nth-child(1) { width: 17% } .of-5 th:nth-child(2) { width: 8% } .of-5 th:nth-child(3) { width: 19% } .of-5 th:nth-child(4) { width: 24% }
  .of-4 th:nth-child(1) { width: 12% } .of-4 th:nth-child(2) { width: 24% } .of-4 th:nth-child(3) { width: 24% }
  small { display: block; color: #4a5875 }
  td dl { font-size: .85em }
  td dt { min-width: 4.8rem }
  code { font-size: .85em; overflow-wrap: anywhere }
  @page { size: A4; margin: 15mm }
  @media print {
    body { font-size: 9pt }
    main { margin: 0; max-width: none; padding: 0 }
    .table { overflow: visible }
    table { min-width: 0 }
    thead { display: table-header-group }
    tr, aside { break-inside: avoid }
    h2, caption { break-after: avoid }
  }`
