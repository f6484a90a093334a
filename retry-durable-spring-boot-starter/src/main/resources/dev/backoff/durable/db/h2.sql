create table if not exists backoff_calls (
	task_name varchar(100) not null,
	task_instance varchar(100) not null,
	task_data blob,
	execution_time timestamp(6) with time zone not null,
	picked boolean not null,
	picked_by varchar(50),
	last_success timestamp(6) with time zone,
	last_failure timestamp(6) with time zone,
	consecutive_failures int,
	last_heartbeat timestamp(6) with time zone,
	version bigint not null,
	priority smallint,
	primary key (task_name, task_instance)
);
create index if not exists backoff_calls_due on backoff_calls (picked, task_name, execution_time, task_instance);
create index if not exists backoff_calls_heartbeat on backoff_calls (last_heartbeat);
