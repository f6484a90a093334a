insert into stock (sku, price_cents, available) select * from (values
	('tea', 450, 1000),
	('cup', 1290, 200),
	('pot', 3990, 50)) where not exists (select 1 from stock);
