create table if not exists backoff_calls (
	task_name varchar(100) character set utf8mb4 collate utf8mb4_bin not null,
	task_instance varchar(100) character set utf8mb4 collate utf8mb4_bin not null,
	task_data longblob,
	execution_time datetime(6) not null,
	picked boolean not null,
	picked_by varchar(50),
	last_success datetime(6),
	last_failure datetime(6),
	consecutive_failures int,
	last_heartbeat datetime(6),
	version bigint not null,
	priority smallint,
	primary key (task_name, task_instance),
	index backoff_calls_due (task_name, execution_time, task_instance),
	index backoff_calls_heartbeat (last_heartbeat)
);
