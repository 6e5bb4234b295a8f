-- The read models. Projections make their tables here, and make them anew from the log (projectors).

create schema read;
